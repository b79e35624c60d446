"""A run that was killed goes on, shards make a whole, and both give the same reports, byte for byte."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

import make_submissions
from answers.grading import batch, sandbox
from answers.grading.cli import main
from answers.grading.key import Key
from answers.grading.row import Row
from grading import command, grade, reports
from notebooks import ROOT


# The sandbox is bubblewrap, a Linux program. Elsewhere the grader works with --no-sandbox only.
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading in a sandbox needs Linux (bubblewrap)")

SIZE = 6


@pytest.fixture(scope="module")
def submissions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class") / "submissions"
    make_submissions.make_class(folder, SIZE)
    return folder


@pytest.fixture(scope="module")
def whole(submissions: Path) -> Path:
    """One undisturbed run."""
    out = submissions.parent / "whole"
    finished = grade(submissions, "--out", out)
    assert finished.returncode == 0, finished.stderr
    assert f"Notebooks: {SIZE}." in finished.stdout
    assert f"{SIZE}/{SIZE}" in finished.stderr  # the progress bar
    return out


def start(submissions: Path, out: Path) -> subprocess.Popen[str]:
    """Start a run and wait until it has its first row."""
    run = subprocess.Popen(
        command(submissions, "--out", out), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not list((out / "rows").glob("*.json")):
        assert run.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    return run


def end(run: subprocess.Popen[str], signal_number: int) -> None:
    """Send a signal to a run, and see that all it has started ends with it: workers, sandboxes, kernels."""
    while (
        len(started := sandbox.descendants(run.pid)) < 5
    ):  # the server that forks, a worker, bubblewrap twice, a kernel
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(signal_number)
    run.wait(60)
    deadline = time.monotonic() + 30
    while left := [pid for pid in started if sandbox.is_running(pid)]:
        assert time.monotonic() < deadline, f"the run left processes: {left}"
        time.sleep(0.05)


def test_killed_half_way_it_goes_on(submissions: Path, whole: Path):
    out = submissions.parent / "broken"
    with start(submissions, out) as run:
        end(run, signal.SIGKILL)
    kept = {path: path.stat().st_mtime_ns for path in (out / "rows").glob("*.json")}
    assert 1 <= len(kept) < SIZE
    assert not (out / "gradebook.csv").exists()  # no report of half a class

    assert grade(submissions, "--out", out).returncode == 0
    assert reports(out) == reports(whole)
    assert all(path.stat().st_mtime_ns == then for path, then in kept.items()), "a finished row was graded again"


def test_interrupted_it_says_how_to_go_on(submissions: Path):
    out, longer = submissions.parent / "interrupted", submissions.parent / "longer"
    shutil.copytree(submissions, longer)
    # Keeps the run from ending before it is interrupted, also on a busy machine.
    (longer / "endless.ipynb").write_bytes(make_submissions.with_answer("while True:\n    pass"))
    with start(longer, out) as run:
        end(run, signal.SIGINT)
        said = run.stderr.read()
    assert run.returncode == 130
    assert "run the same command again to go on" in said and "Traceback" not in said
    assert not (out / "work").exists()


def test_a_changed_notebook_is_graded_again(submissions: Path, whole: Path):
    changed, out = submissions.parent / "changed", submissions.parent / "changed-grades"
    shutil.copytree(submissions, changed)
    shutil.copytree(whole, out)
    (changed / "student-001.ipynb").write_bytes(make_submissions.notebook(make_submissions.answered()))
    before = {path: path.stat().st_mtime_ns for path in (out / "rows").iterdir()}
    assert grade(changed, "--out", out).returncode == 0
    assert [path for path, then in before.items() if path.stat().st_mtime_ns != then] == [
        path for path in before if json.loads(path.read_text())["submission"] == "student-001.ipynb"
    ]
    assert "student-001.ipynb,graded,22,22" in (out / "gradebook.csv").read_text()


def test_four_shards_are_the_whole(submissions: Path, whole: Path, capsys: pytest.CaptureFixture[str]):
    def do(*arguments: object) -> tuple[int, str]:
        code = main([str(argument) for argument in arguments])
        return code, capsys.readouterr().err

    parts = [submissions.parent / f"shard-{number}" for number in range(1, 5)]
    for number, part in enumerate(parts, start=1):
        assert do("--shard", f"{number}/4", submissions, "--out", part)[0] == 0
    out = submissions.parent / "merged"

    code, said = do("merge", *parts[:3], "--out", out)
    assert code == 2 and "No shard has a row for" in said and not out.exists()

    assert do("merge", *parts, "--out", out)[0] == 0
    assert reports(out) == reports(whole)
    rows = {path.name: path.read_text() for path in (whole / "rows").iterdir()}
    assert {path.name: path.read_text() for path in (out / "rows").iterdir()} == rows and len(rows) == SIZE

    run = json.loads((parts[3] / "run.json").read_text())
    (parts[3] / "run.json").write_text(json.dumps(run | {"key": "another"}))
    code, said = do("merge", *parts, "--out", submissions.parent / "mixed")
    assert code == 2 and "they differ in their key" in said


def test_no_row_of_another_key_stays_in_a_run_that_is_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """`merge` would take it for one of this run."""
    notebook = tmp_path / "a.ipynb"
    notebook.write_bytes(make_submissions.notebook(make_submissions.answered()))
    settings = batch.Settings(sandbox.Limits(), True, False, batch.grader_digest())
    target = batch.row_path(tmp_path / "out", "a.ipynb")
    target.parent.mkdir(parents=True)
    target.write_text(Row("a.ipynb", "of another key", "graded").to_json())

    def broken_off(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "_supervise", broken_off)
    with pytest.raises(KeyboardInterrupt):
        list(batch.grade_all([batch.Submission("a.ipynb", notebook)], Key((), ()), settings, tmp_path / "out", 1))
    assert not target.exists()


def test_junit_has_a_suite_for_each_and_a_case_for_each_problem(whole: Path):
    suites = ElementTree.parse(whole / "junit.xml").getroot()
    assert len(suites) == SIZE
    for suite in suites:
        assert int(suite.get("tests")) == len(suite.findall("testcase")) == len(make_submissions.numbers())
        assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
        assert int(suite.get("skipped")) == len(suite.findall("testcase/skipped"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["chapters/12-practice.ipynb", "--key", "lab"], "the key has no page for it"),
        (["chapters", "--out", "chapters/grades"], "among the submissions"),
        (["merge", "lab"], "is not a folder that a grading run has written"),
        (["chapters", "--shard", "5/4"], "K/N"),
        (["chapters", "--shard", "2"], "such as 2/4"),
        (["chapters", "--jobs", "0"], "0 is not a whole number from 1 on"),
        (["chapters", "--out", "lab/../chapters/grades"], "among the submissions"),
        ([], "SUBMISSION_OR_FOLDER"),
    ],
)
def test_wrong_use_gets_a_sentence(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(ROOT)
    if arguments and "--out" not in arguments:
        arguments = [*arguments, "--out", str(tmp_path / "grades")]
    try:
        code = main(arguments)
    except SystemExit as exit:  # argparse's way
        code = exit.code
    assert code == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "grades").exists() and not (ROOT / "chapters" / "grades").exists()


def test_a_folder_that_cannot_be_opened_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "closed").mkdir()
    (tmp_path / "open").mkdir()

    def scan(path: object) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path)

    real = os.scandir
    monkeypatch.setattr("os.scandir", scan)
    assert [(found.name, found.fault) for found in batch.find([tmp_path])] == [
        ("closed", "The folder cannot be opened: Permission denied."),
        ("open", "There is no notebook (.ipynb) in this folder."),
    ]


def test_the_results_never_replace_what_is_not_a_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    submission, out = tmp_path / "a.ipynb", tmp_path / "out"
    submission.touch()  # a row, and no kernel
    (out / "feedback").mkdir(parents=True)
    (out / "feedback" / "mine.txt").touch()
    assert main([str(submission), "--out", str(out)]) == 2
    assert "holds other files" in capsys.readouterr().err
    assert [path.name for path in out.rglob("*")] == ["feedback", "mine.txt"]

    assert main([str(submission), "--out", str(submission)]) == 2
    assert "is a file" in capsys.readouterr().err

    (out / "feedback" / "mine.txt").unlink()
    (out / "feedback").rmdir()
    with batch.claimed(out):
        assert main([str(submission), "--out", str(out)]) == 2
        assert "Another run is writing into" in capsys.readouterr().err
    assert main([str(submission), "--out", str(out)]) == 0
    assert main([str(submission), "--out", str(out)]) == 0  # into results of its own


def test_a_file_that_cannot_be_written_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "a.ipynb").touch()
    code = main([str(tmp_path / "a.ipynb"), "--out", str(tmp_path / "out"), "--summary", str(tmp_path / "no" / "summary.md")])
    assert code == 2
    said = capsys.readouterr().err
    assert "summary.md: No such file or directory" in said and "run the same command again" in said

    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")  # as write() raises it, without a name

    monkeypatch.setattr("answers.grading.row.os.replace", full)
    assert main([str(tmp_path / "a.ipynb"), "--out", str(tmp_path / "full")]) == 2
    assert "run.json: No space left on device" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "full").iterdir()] == [batch.LOCK]


def test_make_grade_passes_options_and_a_path_with_spaces():
    said = subprocess.run(
        ["make", "--dry-run", "grade", "SUBMISSIONS=my class", "OPTIONS=--out autumn"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert '-m answers.grading --out autumn -- "my class"' in said


def test_help_has_examples():
    finished = grade("--help")
    assert finished.returncode == 0
    for words in ("python -m answers.grading submissions", "--shard 2/4", "merge --out grades", "--no-sandbox"):
        assert words in finished.stdout
