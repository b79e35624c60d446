"""A run that was killed goes on, shards make a whole, and both give the same reports, byte for byte."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

import make_submissions
from grading import command, grade, processes, reports
from notebooks import ROOT

SIZE = 8


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


def test_killed_half_way_it_goes_on(submissions: Path, whole: Path):
    out = submissions.parent / "broken"
    with subprocess.Popen(command(submissions, "--out", out), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        deadline = time.monotonic() + 120
        while len(list((out / "rows").glob("*.json")) if (out / "rows").exists() else []) < SIZE // 3:
            assert run.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        run.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 5
    while processes(str(out)) or processes("/run/launcher.py") and time.monotonic() < deadline - 3:
        assert time.monotonic() < deadline, "the killed run left processes"
        time.sleep(0.05)
    kept = {path: path.stat().st_mtime_ns for path in (out / "rows").glob("*.json")}
    assert SIZE // 3 <= len(kept) < SIZE
    assert not (out / "gradebook.csv").exists()  # no report of half a class

    assert grade(submissions, "--out", out).returncode == 0
    assert reports(out) == reports(whole)
    assert all(path.stat().st_mtime_ns == then for path, then in kept.items()), "a finished row was graded again"


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


def test_four_shards_are_the_whole(submissions: Path, whole: Path):
    parts = [submissions.parent / f"shard-{number}" for number in range(1, 5)]
    for number, part in enumerate(parts, start=1):
        assert grade("--shard", f"{number}/4", submissions, "--out", part).returncode == 0
    out = submissions.parent / "merged"

    missing = grade("merge", *parts[:3], "--out", out)
    assert missing.returncode == 2 and "No shard has a row for" in missing.stderr and not out.exists()

    merged = grade("merge", *parts, "--out", out)
    assert merged.returncode == 0, merged.stderr
    assert reports(out) == reports(whole)
    rows = {path.name: path.read_text() for path in (whole / "rows").iterdir()}
    assert {path.name: path.read_text() for path in (out / "rows").iterdir()} == rows and len(rows) == SIZE

    run = json.loads((parts[3] / "run.json").read_text())
    (parts[3] / "run.json").write_text(json.dumps(run | {"key": "another"}))
    other = grade("merge", *parts, "--out", submissions.parent / "mixed")
    assert other.returncode == 2 and "they differ in their key" in other.stderr


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
        (["chapters", "--jobs", "0"], "--jobs"),
        ([], "SUBMISSION_OR_FOLDER"),
    ],
)
def test_wrong_use_gets_a_sentence(arguments: list[str], says: str, tmp_path: Path):
    out = [] if "--out" in arguments else ["--out", tmp_path / "grades"]
    finished = grade(*arguments, *(out if arguments else []))
    assert finished.returncode == 2
    assert says in finished.stderr and "Traceback" not in finished.stderr
    assert not (tmp_path / "grades").exists() and not os.path.exists(ROOT / "chapters" / "grades")


def test_help_has_examples():
    finished = grade("--help")
    assert finished.returncode == 0
    for words in ("python -m answers.grading submissions", "--shard 2/4", "merge --out grades", "--no-sandbox"):
        assert words in finished.stdout
