"""Runs the grader as a user does, for its tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from notebooks import ROOT


def grade(*arguments: object, timeout: float = 600, **options: object) -> subprocess.CompletedProcess[str]:
    """Run `python -m answers.grading` to its end; return the finished process, with its text."""
    return subprocess.run(command(*arguments), cwd=ROOT, capture_output=True, text=True, timeout=timeout, **options)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "answers.grading", *map(str, arguments)]


def reports(out: Path) -> dict[str, str]:
    """Return the text of every report of a run, by its path in the folder. Rows and the run's own file are left out."""
    return {
        path.relative_to(out).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(out.rglob("*"))
        if path.is_file() and "rows" not in path.parts and path.name != "run.json"
    }


def processes(words: str) -> list[str]:
    """Return the command lines of running processes that contain `words`. Linux only."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            line = Path("/proc", name, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if words in line:
            found.append(line)
    return found
