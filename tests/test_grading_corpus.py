"""Every oddity, cheat and broken file gets its own row, and leaves nothing behind. One batch run for all of them."""

from __future__ import annotations

import re
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import make_submissions
from answers.problems import load_key
from grading import grade, processes, reports
from make_submissions import MARK, Case
from notebooks import ROOT


# The sandbox is bubblewrap, a Linux program. Elsewhere the grader works with --no-sandbox only.
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading in a sandbox needs Linux (bubblewrap)")

CASES = make_submissions.corpus(9)


@dataclass
class Graded:
    """What is known after the run."""

    out: Path
    rows: dict[str, tuple[str, str, dict[int, str]]]
    texts: dict[str, str]
    reached: list[object]
    words: str


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    folder = tmp_path_factory.mktemp("corpus")
    out = folder / "grades"
    reached: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            while True:
                try:
                    reached.append(server.accept())
                except OSError:
                    return

        threading.Thread(target=listen, daemon=True).start()
        make_submissions.make_corpus(folder / "submissions", server.getsockname()[1])
        finished = grade(folder / "submissions", "--out", out, "--cell-seconds", 3)
        assert finished.returncode == 0, finished.stderr
        server.shutdown(socket.SHUT_RDWR)
    yield Graded(out, make_submissions.actual_rows(out), reports(out), reached, finished.stdout + finished.stderr)


def test_there_are_enough_cases():
    assert len(CASES) == len({case.name for case in CASES}) >= 40


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_row(graded: Graded, case: Case):
    assert graded.rows[make_submissions.file_name(case)] == make_submissions.expected_row(case)


@pytest.mark.parametrize("case", [case for case in CASES if case.says], ids=lambda case: case.name)
def test_says_why(graded: Graded, case: Case):
    name = re.sub(r'[<>:"/\\|?*]', "_", make_submissions.file_name(case).removesuffix(".ipynb"))
    assert case.says in graded.texts[f"feedback/{name}.md"].replace("\\", "")


def test_one_row_for_each_submission(graded: Graded):
    assert sorted(graded.rows) == sorted(map(make_submissions.file_name, CASES))


def test_nothing_reached_the_network(graded: Graded):
    assert graded.reached == []


def test_nothing_was_written_outside(graded: Graded):
    folders = [
        ROOT,
        ROOT / "answers" / "key",
        Path.home(),
        *map(Path, ("/", "/tmp", "/var/tmp", "/usr", "/etc", "/run", "/dev/shm", "/home")),
    ]
    assert [folder for folder in folders if (folder / MARK).exists()] == []


def test_no_process_is_left(graded: Graded):
    assert processes(MARK) == []
    assert processes(f"{graded.out.parent}") == []


def test_no_working_file_is_left(graded: Graded):
    assert not (graded.out / "work").exists()


def test_the_key_is_in_no_report(graded: Graded):
    """Neither the answers nor the second inputs: no distinctive number or line of theirs is in any file that a run writes."""
    everything = (
        "\n".join(graded.texts.values())
        + "".join(path.read_text() for path in (graded.out / "rows").iterdir())
        + graded.words
    )
    for problem in load_key():
        if problem.computed:
            secret = set(re.findall(r"\d+\.\d{3,}", problem.output + problem.second_output))
            secret |= {line for line in problem.second_data.splitlines()[1:] if len(line) > 8}
            assert [word for word in secret if word in everything] == [], problem.name


def test_what_a_student_wrote_is_text_and_not_code(graded: Graded):
    page = graded.texts["gradebook.html"]
    assert "<script" not in page and "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "&lt;img src=x onerror=alert(1)&gt;.ipynb" in page
    assert "\n'=1+1.ipynb," in graded.texts["gradebook.csv"]  # a spreadsheet would compute it
