"""nbval as the judge: a pytest plugin that replays one prepared notebook and tells what became of each cell.

nbval executes the cells, catches what goes wrong and compares the outputs. Four things are changed here. The kernel is
the watched one. Comments such as NBVAL_SKIP in the student's code are not obeyed. What was printed is put in canonical form
before it is compared, so that `.25` equals `0.2500`. And a cell that fails without showing an error, because its code has
switched the messages off, fails.
"""

from __future__ import annotations

import contextlib
import io
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError

from answers.grading.kernel import KernelFailed, Stopped, WatchedKernel
from answers.grading.key import Entry
from chapters import practice_check

LONGEST_ANSWER = 5_000  # characters; no problem asks for more than a few short lines

COMPARE = {"check": True, "skip": False, "check_exception": False}  # nbval's options, the same for every cell

Kind = Literal["same", "differs", "error", "stopped"]


@dataclass(frozen=True)
class Outcome:
    """What became of a cell. `text` is what it printed, the error's name and message, or the reason it was stopped."""

    kind: Kind
    text: str = ""
    value_unprinted: bool = False


class JudgedNotebook(IPyNbFile):
    """A prepared notebook. `start_kernel` and `entries` are set on the class by `replay`."""

    start_kernel: Callable[[], WatchedKernel]
    entries: dict[int, Entry]

    def setup(self) -> None:
        self.kernel = type(self).start_kernel()

    def teardown(self) -> None:
        if self.kernel is not None:
            self.kernel.stop()

    def collect(self) -> Iterator[JudgedCell]:
        for cell in super().collect():
            yield JudgedCell.from_parent(
                self, name=cell.name, cell_num=cell.cell_num, cell=cell.cell, options=dict(COMPARE)
            )


class JudgedCell(IPyNbCell):
    """A cell of a prepared notebook."""

    printed = ""
    value_unprinted = False

    @property
    def position(self) -> int | None:
        """Where the cell stands in the submission."""
        return self.cell.metadata.grading.get("position")

    def runtest(self) -> None:
        super().runtest()
        if self.parent.kernel.reply_status == "error":
            self.raise_cell_error("the cell stopped with an error and did not show it")

    def compare_outputs(self, test: list[NotebookNode], ref: list[NotebookNode], skip_compare: Any = None) -> bool:
        """Compare what was printed with the key's output, both in canonical form. Other outputs do not count."""
        self.printed = "".join(out.text for out in test if out.output_type == "stream" and out.name == "stdout")
        self.value_unprinted = not self.printed.strip() and any(out.output_type == "execute_result" for out in test)
        entry = self.parent.entries[self.cell.metadata.grading.number]
        if len(self.printed) > LONGEST_ANSWER:
            return False
        if not entry.sets:  # no key for this problem: the self-check's hashes decide
            return practice_check.judge(entry.number, self.printed).kind == practice_check.RIGHT
        text = practice_check.canonical(self.printed, entry.lines)
        shown = NotebookNode(output_type="stream", name="stdout", text=self.printed if text is None else text)
        return super().compare_outputs([shown], ref, skip_compare)

    def format_output_compare(self, key: str, left: Any, right: Any) -> None:
        """Write no comparison: it would show the key, and pytest may take minutes over a long one."""


class _Collector:
    """The plugin of one run: collects the notebook, notes each cell's outcome, and runs no cell after `until`."""

    def __init__(self, kind: type[JudgedNotebook], until: float) -> None:
        self.kind = kind
        self.until = until
        self.outcomes: dict[int, Outcome] = {}
        self.failure: BaseException | None = None

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> JudgedNotebook | None:
        return self.kind.from_parent(parent, path=file_path) if file_path.suffix == ".ipynb" else None

    def pytest_runtest_makereport(self, item: JudgedCell, call: pytest.CallInfo[None]) -> None:
        raised = call.excinfo.value if call.excinfo else None
        if call.when != "call":
            self.failure = self.failure or raised
            return
        outcome = self._outcome(item, raised)
        if item.position is None:  # the grader's own first cell
            self.failure = self.failure or raised
        elif item.position not in self.outcomes or "number" in item.cell.metadata.grading or outcome.kind == "stopped":
            self.outcomes[item.position] = outcome
        if outcome.kind == "stopped":
            item.session.shouldfail = "the kernel was stopped"
        elif time.monotonic() > self.until:
            item.session.shouldfail = "the notebook's time is used up"

    def _outcome(self, item: JudgedCell, raised: BaseException | None) -> Outcome:
        if raised is None:
            return Outcome("same", item.printed, item.value_unprinted)
        if isinstance(raised, Stopped):
            return Outcome("stopped", str(raised))
        if not isinstance(raised, NbCellError):
            # The student's code sent a message that nbval cannot digest. Its kernel is not to be trusted any more.
            return Outcome("stopped", "sent messages that no kernel sends")
        errors = [out for out in item.test_outputs or [] if out.output_type == "error"]
        if errors:
            return Outcome("error", f"{errors[0].ename}: {errors[0].evalue}")
        if raised.args and raised.args[0] == "Cell outputs differ":
            return Outcome("differs", item.printed, item.value_unprinted)
        return Outcome("error", str(raised))


@contextlib.contextmanager
def _nobodys_settings() -> Iterator[None]:
    """Keep what the environment says to pytest, and the plugins pytest finds by itself, out of a replay."""
    kept = dict(os.environ)
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(kept)


def replay(
    path: Path, entries: dict[int, Entry], start_kernel: Callable[[], WatchedKernel], until: float
) -> dict[int, Outcome]:
    """Replay a prepared notebook. Returns the outcome of each cell that was run, by its position in the submission.

    After a cell that was stopped nothing is run; the caller leaves that cell out and replays again. No cell begins after
    `until`, a time of the monotonic clock.
    Raises KernelFailed if no kernel starts, RuntimeError if pytest itself fails.
    """
    kind = type("JudgedNotebook", (JudgedNotebook,), {"start_kernel": staticmethod(start_kernel), "entries": entries})
    collector = _Collector(kind, until)
    settings = path.with_name("pytest.ini")
    settings.write_text("[pytest]\n", encoding="utf-8")
    arguments = ["-c", str(settings), "--rootdir", str(path.parent), "-p", "nbval.plugin", "-p", "no:cacheprovider"]
    # Without pytest's hunt for leaks at exit, which costs half a second.
    arguments += ["-p", "no:unraisableexception", "-p", "no:threadexception", "-p", "no:logging"]
    arguments += ["-p", "no:warnings", "--noconftest", "--quiet", "--tb=no", "--no-summary", "--color=no", str(path)]
    with _nobodys_settings(), contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
        code = pytest.main(arguments, plugins=[collector])
    if isinstance(collector.failure, KernelFailed):
        raise collector.failure
    if collector.failure is not None or code not in (
        pytest.ExitCode.OK,
        pytest.ExitCode.TESTS_FAILED,
        pytest.ExitCode.INTERRUPTED,
    ):
        raise RuntimeError(
            f"nbval could not replay the notebook: {collector.failure!r} {getattr(collector.failure, 'inner_traceback', '')} (exit code {code})"
        ) from collector.failure
    return collector.outcomes
