"""Rules about every replay, of one notebook or all: what a failure says, what may not pass, what the status page is told."""

from __future__ import annotations

import json
import os
import platform
import sys
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbval.kernel
import pytest
from xdist.scheduler import LoadScopeScheduling

from kernels import FolderKernelManager
from notebooks import ROOT, page_notebooks, read_notebook
from record import write_whole

nbval.kernel.KernelManager = FolderKernelManager


class KeepTogether(LoadScopeScheduling):
    """With several workers, send to the same one: the cells of a notebook, which share a kernel, the tests that share one
    costly run of the grader, and the cases of one test function. Everything else goes to whoever is free."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::")[0]
        shared = file.endswith((".ipynb", "test_grading_corpus.py", "test_grading_batch.py"))
        return file if shared else nodeid.split("[")[0]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores, because many tests wait for a browser or a kernel."""
    return (os.cpu_count() or 1) + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> KeepTogether:
    return KeepTogether(config, log)


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
