"""The `{status}` directive: what this build was made with, and what was checked before it.

The replay leaves its outcome in `_build/replay.json` (written by tests/conftest.py). A build without it says that it was not replayed.
"""

from __future__ import annotations

import json
import platform
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PACKAGES = ("numpy", "matplotlib", "scipy", "statsmodels", "jupyter-book", "sphinx", "myst-nb", "nbval", "jupytext", "ipykernel", "jupyterlab")


def count_cells(root: Path) -> tuple[int, int]:
    """Return (notebooks, code cells) of the book's stored notebooks."""
    notebooks = [path for folder in ("chapters", "toolkit", "answers") for path in (root / folder).rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
    cells = sum(cell["cell_type"] == "code" for path in notebooks for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
    return len(notebooks), cells


def count_figures(root: Path) -> int:
    """Return how many figures the ledger owes. A drawn list of indices is one figure; tests/test_ledger.py finds each of them."""
    ledger = yaml.safe_load((root / "tests" / "ledger.yml").read_text(encoding="utf-8"))
    cells, uncertainty = ledger["chapter_12"]["cells"], ledger["uncertainty"]
    chapter = sum(len(cell.get("prints", [])) + sum(map(len, cell.get("table", []))) for cell in cells)
    the_set = len(("right", "items", "accuracy"))
    draws = sum(len(draw) for draw in uncertainty["draws"])
    growing = sum(bool(figure) for row in uncertainty["growing_sets"] for figure in row)
    return chapter + the_set + draws + len(uncertainty["full_bootstrap"]) + growing


def replay_sentence(root: Path) -> str:
    path = root / "_build" / "replay.json"
    if not path.is_file():
        return "This build was made without replaying the notebooks first."
    outcome = json.loads(path.read_text(encoding="utf-8"))
    when = datetime.fromisoformat(outcome["finished"]).strftime("%d %B %Y, %H:%M UTC").lstrip("0")
    return (
        f"{outcome['passed']} of {outcome['cells']} cells printed, character for character, what is stored. "
        f"The replay ended on {when}, with Python {outcome['python']} and NumPy {outcome['numpy']}."
    )


def table(header: tuple[str, str], rows: list[tuple[str, str]]) -> nodes.table:
    group = nodes.tgroup("", nodes.colspec(colwidth=1), nodes.colspec(colwidth=1), cols=2)

    def row(cells: tuple[str, str]) -> nodes.row:
        return nodes.row("", *(nodes.entry("", nodes.paragraph(text=cell)) for cell in cells))

    group += nodes.thead("", row(header))
    group += nodes.tbody("", *map(row, rows))
    return nodes.table("", group, classes=["table"])


class Status(SphinxDirective):
    """`{status}`: takes nothing."""

    def run(self) -> list[nodes.Node]:
        root = Path(self.env.srcdir)
        self.env.note_reread()  # what it says is about this build, so it is never taken from the last one
        notebooks, cells = count_cells(root)
        checked = [
            ("Site built", datetime.now(timezone.utc).strftime("%d %B %Y, %H:%M UTC").lstrip("0")),
            ("Replay", replay_sentence(root)),
            ("Notebooks, code cells", f"{notebooks}, {cells}"),
            ("Figures the course owes, each found in its cell", str(count_figures(root))),
        ]
        versions = [("Python", platform.python_version())] + [(name, version(name)) for name in PACKAGES]
        return [table(("What", "Outcome"), checked), table(("Made with", "Version"), versions)]


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("status", Status)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
