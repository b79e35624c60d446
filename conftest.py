"""Rules about every replay, of one notebook or all: what a failure says, what may not pass, what the status page is told."""

from __future__ import annotations

import json
import platform
import sys
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

import pytest

from notebooks import ROOT, page_notebooks, read_notebook
from record import write_whole


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With several workers, the cells of one notebook go to the same one: they share a kernel."""
    for item in items:
        notebook = item.nodeid.split("::")[0]
        if notebook.endswith(".ipynb"):
            item.add_marker(pytest.mark.xdist_group(notebook))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    replayed = [report for report in terminalreporter.stats.get("failed", []) if ".ipynb::" in report.nodeid]
    if replayed:
        names = ", ".join(sorted({report.nodeid.split("::")[0] for report in replayed}))
        terminalreporter.section("what to do", sep="-")
        terminalreporter.line(
            f"A replayed cell did not print what is stored in {names}. If you meant the change, edit the page's .md, "
            "run: make record, read the difference and commit both files. If you did not, undo it with git checkout."
        )


def note_replay(reporter: pytest.TerminalReporter) -> None:
    """Leave the outcome of a whole replay for the site's status page.

    A replay of some notebooks leaves nothing, nor does one by tests/versions.py in an environment that is not the site's.
    """
    if ROOT / ".cache" in Path(sys.prefix).parents:
        return
    cells = {
        outcome: [report.nodeid for report in reporter.stats.get(outcome, []) if report.when == "call" and ".ipynb::" in report.nodeid]
        for outcome in ("passed", "failed")
    }
    replayed = {nodeid.split("::")[0] for nodeids in cells.values() for nodeid in nodeids}
    with_code = {
        path.relative_to(ROOT).as_posix()
        for path in page_notebooks()
        if any(cell.cell_type == "code" for cell in read_notebook(path).cells)
    }
    if replayed == with_code:
        build = ROOT / "_build"
        build.mkdir(exist_ok=True)
        write_whole(
            build / "replay.json",
            json.dumps(
                {
                    "finished": datetime.now(timezone.utc).isoformat(timespec="seconds"),
                    "cells": len(cells["passed"]) + len(cells["failed"]),
                    "passed": len(cells["passed"]),
                    "python": platform.python_version(),
                    "numpy": version("numpy"),
                }
            ),
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    # nbval calls the cells after a dead kernel "expected failures". They were not compared, so the run is not green.
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not hasattr(session.config, "workerinput"):
        note_replay(reporter)
    if reporter and session.exitstatus == pytest.ExitCode.OK:
        unsure = reporter.stats.get("xfailed", []) + reporter.stats.get("xpassed", [])
        if unsure:
            reporter.line(f"{unsure[0].nodeid} ended as an expected failure: it was not compared. This run fails.")
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
