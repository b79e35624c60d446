"""No digit of a stored output can be changed unseen: every change of every digit is tried against the real replay."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from notebooks import ROOT, printed_text, read_notebook

PAGES = [path for path in ("chapters/12-is-that-score-real.ipynb", "chapters/uncertainty.ipynb") if (ROOT / path).exists()]


@pytest.mark.parametrize("page", PAGES)
def test_every_single_digit_change_is_caught(page: str, tmp_path: Path):
    report_file = tmp_path / "report.json"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "mutation_plugin", "--mutation-report", str(report_file), page],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=None,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    report = json.loads(report_file.read_text(encoding="utf-8"))
    cells = [cell for cell in read_notebook(ROOT / page).cells if cell.cell_type == "code"]
    digits = sum(character.isascii() and character.isdigit() for cell in cells for character in printed_text(cell))
    assert report["cells"] == len(cells), "The replay did not compare every cell."
    assert report["digits"] == digits > 0, "Not every stored digit was tried."
    assert report["changes"] == 9 * digits
    assert report["unseen"] == []
