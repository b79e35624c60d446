"""Grade many submissions: side by side, each in a process of its own, and so that a broken run can go on.

A finished submission is one file in OUT/rows. A run first looks which rows it can keep, grades the others, and then writes
the reports from the rows alone. So a run that was killed goes on where it stopped, and shards that ran on several machines
are put together by `merge`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from answers.grading.kernel import START_SECONDS, KernelFailed, remove_leftovers
from answers.grading.key import Key
from answers.grading.load import Unreadable, read_bytes, read_cells
from answers.grading.replay import grade, plain
from answers.grading.row import Row, write_whole
from answers.grading.sandbox import Limits, remove
from chapters import practice_check

RUN = "run.json"
LOCK = ".lock"
ROWS = "rows"
WORK = "work"


class BatchFault(Exception):
    """The run cannot be done as asked. The message says why and what to do."""


@dataclass(frozen=True)
class Submission:
    """A file to grade and its name in the gradebook. A submission that holds no file says so in `fault`."""

    name: str
    path: Path
    fault: str = ""


@dataclass(frozen=True)
class Settings:
    """Everything besides a submission and the key that a row depends on."""

    limits: Limits
    sandboxed: bool
    self_check: bool
    grader: str  # a digest of the grader's own code


def grader_digest() -> str:
    """Changes when the grader does, so that no row of an older one is kept."""
    files = [*sorted(Path(__file__).parent.glob("*.py")), Path(practice_check.__file__)]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


@dataclass(frozen=True)
class Run:
    """What a folder of rows belongs to."""

    key: str
    settings: str
    submissions: tuple[str, ...]  # all of them, in order, also those of other shards


# --- Finding submissions ----------------------------------------------------------------------------------------------


def find(paths: Sequence[Path]) -> tuple[Submission, ...]:
    """List the submissions in files and folders, in order of their names.

    In a folder each visible file is a submission, and so is each notebook in its subfolders. Raises BatchFault if a path
    does not exist or there is nothing to grade.
    """
    for path in paths:
        if not path.exists() and not path.is_symlink():
            raise BatchFault(f"{path} does not exist. Name a notebook, or a folder of notebooks.")
    if len(paths) == 1 and paths[0].is_dir():
        base = paths[0]
    else:
        base = Path(os.path.commonpath([path.absolute().parent for path in paths]))
    found = {}
    for path in paths:
        for submission in _within(path) if path.is_dir() else [Submission("", path)]:
            name = os.path.relpath(submission.path.absolute(), base.absolute()).replace(os.sep, "/")
            name = name.encode("utf-8", "backslashreplace").decode()  # a file's name may hold bytes that are no text
            found[name] = dataclasses.replace(submission, name=name)
    if not found:
        raise BatchFault(f"There is no notebook in {', '.join(map(str, paths))}.")
    return tuple(found[name] for name in sorted(found))


def _within(folder: Path) -> Iterator[Submission]:
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith((".", "__MACOSX")):
            continue
        if not entry.is_dir() or entry.is_symlink():
            yield Submission("", entry)
            continue
        notebooks = []
        closed: list[OSError] = []
        for place, folders, files in os.walk(entry, onerror=closed.append):
            folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
            notebooks += [Path(place, name) for name in files if name.endswith(".ipynb") and not name.startswith(".")]
        for notebook in notebooks:
            yield Submission("", notebook)
        for error in closed:
            yield Submission("", Path(error.filename), f"The folder cannot be opened: {error.strerror}.")
        if not notebooks and not closed:
            yield Submission("", entry, "There is no notebook (.ipynb) in this folder.")


def shard(submissions: Sequence[Submission], number: int, count: int) -> tuple[Submission, ...]:
    """Return every count-th submission, beginning with the number-th (from 1)."""
    return tuple(submissions[number - 1 :: count])


# --- Grading ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Task:
    name: str
    content: bytes
    fingerprint: str
    target: Path
    key: Key
    settings: Settings


def grade_all(
    submissions: Sequence[Submission], key: Key, settings: Settings, out: Path, jobs: int
) -> Generator[Row, None, None]:
    """Grade submissions into OUT/rows and yield each row when it is there, kept ones first.

    Each is graded in a process of its own, so none can bring down the run.
    """
    (out / ROWS).mkdir(parents=True, exist_ok=True)
    # The notebooks being replayed hold the key: none stays behind, not even of a run that was killed.
    remove(out / WORK)
    remove_leftovers()
    tasks = []
    for submission in submissions:
        target = row_path(out, submission.name)
        try:
            if submission.fault:
                raise Unreadable(submission.fault)
            content = read_bytes(submission.path)
        except Unreadable as reason:
            row = Row(submission.name, _fingerprint(str(reason).encode(), key, settings), "unreadable", str(reason))
            write_whole(target, row.to_json())
            yield row
            continue
        fingerprint = _fingerprint(content, key, settings)
        kept = read_row(target)
        if kept is not None and kept.fingerprint == fingerprint and kept.state != "failed":
            yield kept
        else:
            target.unlink(missing_ok=True)  # no row of another key or another notebook is taken for one of this run
            tasks.append(_Task(submission.name, content, fingerprint, target, key, settings))
    if not tasks:
        return

    # A server process imports everything once and then forks itself for each submission.
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    if method == "forkserver":
        context.set_forkserver_preload(["answers.grading.batch", "nbval.plugin", "pytest"])
    stop = threading.Event()
    with ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(_supervise, context, task, stop) for task in tasks]
        try:
            for finished in as_completed(running):
                row = finished.result()
                assert row is not None  # only a run that is being stopped has tasks without a row
                yield row
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
            remove(out / WORK)


def _supervise(context: Any, task: _Task, stop: threading.Event) -> Row | None:
    """Grade one submission in a new process, and write its row in any case, unless the whole run is to stop."""
    if stop.is_set():
        return None
    process = context.Process(target=_work, args=(task,), daemon=True)
    process.start()
    # Inside, the limit is looked at between cells: a kernel may start and a cell run just before it ends.
    limits = task.settings.limits
    until = time.monotonic() + limits.submission_seconds + limits.cell_seconds + 2 * START_SECONDS
    while process.is_alive() and time.monotonic() < until and not stop.is_set():
        process.join(0.2)
    if late := process.is_alive():
        process.kill()
        process.join()
    row = read_row(task.target)
    if row is None and not stop.is_set():
        ended = "took far too long" if late else f"ended with exit code {process.exitcode}"
        reason = f"The grader's process for this notebook {ended}. Grade it again."
        row = Row(task.name, task.fingerprint, "failed", reason)
        write_whole(task.target, row.to_json())
    return row


def _work(task: _Task) -> None:
    _end_with_parent()
    folder = task.target.parent.parent / WORK / task.target.stem
    try:
        folder.mkdir(parents=True, mode=0o700)
        graded = grade(read_cells(task.content), task.key, task.settings.limits, task.settings.sandboxed, folder)
        row = Row(task.name, task.fingerprint, "graded", "", graded.results, graded.notes, graded.written)
    except Unreadable as reason:
        row = Row(task.name, task.fingerprint, "unreadable", str(reason))
    except KernelFailed as reason:
        row = Row(
            task.name, task.fingerprint, "failed", f"{reason} Grade it again, with fewer jobs if the machine is busy."
        )
    except Exception as error:  # a fault of the grader must cost one row, not the class
        row = Row(
            task.name,
            task.fingerprint,
            "failed",
            plain(f"The grader has a fault: {type(error).__name__}: {error}", 300),
        )
    remove(folder)
    write_whole(task.target, row.to_json())


def _end_with_parent() -> None:
    """Have this process killed when the run is killed; bubblewrap then ends with this process. Linux only."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run itself reacts to Ctrl-C and ends us
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _fingerprint(content: bytes, key: Key, settings: Settings) -> str:
    return hashlib.sha256(f"{key.digest} {describe(settings)} ".encode() + content).hexdigest()


def describe(settings: Settings) -> str:
    return json.dumps(dataclasses.asdict(settings), sort_keys=True)


# --- Rows on disk -----------------------------------------------------------------------------------------------------


def row_path(out: Path, name: str) -> Path:
    return out / ROWS / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.json"


def read_row(path: Path) -> Row | None:
    """Return a kept row, or None if there is none or it cannot be read."""
    try:
        return Row.from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextlib.contextmanager
def claimed(out: Path) -> Iterator[None]:
    """Keep the folder for results to this run while it lasts, and make it if it is not there.

    Raises BatchFault if it is a file, holds anything that no run has written, or belongs to a run that is going on. The
    last is not noticed on Windows and on file systems without locks.
    """
    if out.exists() and not out.is_dir():
        raise BatchFault(f"{out} is a file. The results need a folder: choose another --out.")
    if out.is_dir() and any(out.iterdir()) and not any((out / name).exists() for name in (RUN, LOCK)):
        raise BatchFault(
            f"{out} holds other files, and no earlier results. So that none is overwritten, name a new folder: --out."
        )
    out.mkdir(parents=True, exist_ok=True)
    if os.name != "posix":
        yield
        return
    import fcntl

    with (out / LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the system lets go of it even if we are killed
        except BlockingIOError:
            raise BatchFault(
                f"Another run is writing into {out}. Wait until it has ended, or choose another --out."
            ) from None
        except OSError:  # some network folders have no locks
            pass
        yield


def write_run(out: Path, run: Run) -> None:
    write_whole(out / RUN, json.dumps(dataclasses.asdict(run), indent=1) + "\n")


def merge(parts: Sequence[Path]) -> tuple[Run, tuple[Row, ...]]:
    """Read the rows of several shards, in the order of the whole run.

    Raises BatchFault if the shards do not belong together or a submission is in none of them.
    """
    runs = []
    for part in parts:
        try:
            stored = json.loads((part / RUN).read_text(encoding="utf-8"))
            runs.append(Run(stored["key"], stored["settings"], tuple(stored["submissions"])))
        except (OSError, ValueError, KeyError, TypeError):
            raise BatchFault(
                f"{part} is not a folder that a grading run has written: its {RUN} is missing or broken."
            ) from None
    for part, run in zip(parts, runs):
        for what in ("key", "settings", "submissions"):
            if getattr(run, what) != getattr(runs[0], what):
                raise BatchFault(
                    f"{part} and {parts[0]} do not belong together: they differ in their {what}. Grade all shards alike."
                )
    rows = []
    for name in runs[0].submissions:
        found = next(filter(None, (read_row(row_path(part, name)) for part in parts)), None)
        if found is None:
            raise BatchFault(f"No shard has a row for {name}. A shard is missing or has not ended.")
        rows.append(found)
    return runs[0], tuple(rows)


def write_merged(out: Path, run: Run, rows: Sequence[Row]) -> None:
    """Write what a run that had graded all shards itself would have kept."""
    write_run(out, run)
    (out / ROWS).mkdir(exist_ok=True)
    for row in rows:
        write_whole(row_path(out, row.submission), row.to_json())
