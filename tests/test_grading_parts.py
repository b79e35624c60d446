"""The grader's parts: matching, the score's interval, the page, the student's own check, a notebook from a real JupyterLab."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from playwright.sync_api import Page
from statsmodels.stats.proportion import proportion_confint

import make_submissions
from answers.grading import page as html
from answers.grading import kernel, report
from answers.grading.key import read_key
from answers.grading.load import Cell
from answers.grading.match import match
from answers.grading.prepare import SETUP
from answers.grading.replay import Result, grade as grade_cells
from answers.grading.row import Row, wilson
from answers.grading.sandbox import Limits
from answers.problems import KEY
from grading import grade
from jupyterlab import jupyterlab, open_notebook, run_all
from notebooks import ROOT
from tree import copy_project


# The sandbox is bubblewrap, a Linux program. Elsewhere the grader works with --no-sandbox only.
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading in a sandbox needs Linux (bubblewrap)")

# --- Parts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("questions", [1, 2, 22, 300])
def test_the_score_interval_is_wilsons(questions: int):
    for right in range(questions + 1):
        low, high = wilson(right, questions)
        expected = proportion_confint(
            right, questions, alpha=0.04999579029644097, method="wilson"
        )  # two-sided, z = 1.96
        assert (low, high) == pytest.approx(expected, abs=1e-9)
        assert 0 <= low <= high <= 1


@pytest.mark.parametrize(
    ("cells", "answers"),
    [
        (
            [Cell("code", "1", "problem-05"), Cell("code", "2", "", ("problem-06",)), Cell("code", "# problem 7\n3")],
            {5: 0, 6: 1, 7: 2},
        ),
        (
            [Cell("code", "# Problem 06\n1", "problem-05", ("problem-07",))],
            {5: 0},
        ),  # the id, then the tag, then the line
        ([Cell("code", "# Problem 06\n1", "x", ("other", "problem-07"))], {7: 0}),
        ([Cell("code", "# Problem 5, a try\n1"), Cell("code", "# Problem 05\n2")], {5: 1}),
        ([Cell("code", "# Problem 05\n2"), Cell("code", "# Problem 5, a try\n1")], {5: 0}),  # not a copy of the answer
        ([Cell("code", "# Problem 5, a try\n1")], {5: 0}),
        ([Cell("code", "# Problem 50\n1"), Cell("code", "# Problem 05x\n1"), Cell("code", "# Problems 5\n1")], {}),
        ([Cell("markdown", "# Problem 05: the title\nwords"), Cell("code", "# Data for problem 05\nx = 1")], {}),
        ([Cell("markdown", "# Problem 05\nprint(1)"), Cell("code", "1", "problem-05")], {5: 1}),
    ],
)
def test_answers_are_found(cells: list[Cell], answers: dict[int, int]):
    assert match(cells, [5, 6, 7]).answers == answers


def test_another_notebook_gets_one_remark():
    found = match([Cell("code", "print(1)"), Cell("markdown", "# Something else")], [5, 6, 7])
    assert found.answers == {} and found.notes == (
        "None of the problems has an answer cell. Is this the practice notebook?",
    )


def test_a_notebook_that_uses_up_its_time_ends_then(tmp_path: Path):
    """Each cell stays under the limit of a cell; all together they would take a minute."""
    cells = [Cell("code", "import time\ntime.sleep(1)")] * 60 + [Cell("code", "# Problem 05\nprint(0.5)")]
    began, environment = time.monotonic(), dict(os.environ)
    graded = grade_cells(cells, read_key(KEY), Limits(submission_seconds=2), True, tmp_path)
    assert time.monotonic() - began < 20
    assert os.environ == environment  # what the replay keeps from its pytest is kept from no other
    result = next(result for result in graded.results if result.number == 5)
    assert result.status == "stopped" and "cells before it used up" in result.sentence


def test_feedback_files_have_names_that_a_disk_takes():
    names = ["\u5b66" * 80 + "/" + letter + ".ipynb" for letter in "ab"] + ["x" * 249 + ".ipynb", "-rf.ipynb", "a/b\n.ipynb"]
    files = report.feedback_names(names)
    assert len(set(files)) == len(names)
    assert all(len(f"{file}.part".encode()) <= 255 and not set(file) & set("/\n") for file in files)


def test_what_a_student_wrote_is_not_cut_in_silence():
    words = "word " * 5000 + "\nlast\x1b[31m"
    told = report.written([Row("a.ipynb", "", "graded", written={17: words}), Row("b.ipynb", "", "graded", written={17: "x\x1b"})])
    assert "Cut here after 20,000 characters" in told and "\x1b" not in told


def test_only_its_own_leftovers_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(kernel, "SHORT", str(tmp_path))
    others = {"grading-2026-autumn", "answers.grading-class", f"{kernel.PREFIX}{os.getpid()}-abcdefgh"}
    for name in others | {f"{kernel.PREFIX}99999999-abcdefgh"}:  # no process has so high a number
        (tmp_path / name).mkdir()
    kernel.remove_leftovers()
    assert {path.name for path in tmp_path.iterdir()} == others


def test_a_terminal_without_a_students_characters_does_not_stop_it(tmp_path: Path):
    (tmp_path / "\u5b66.ipynb").touch()
    finished = grade(tmp_path / "\u5b66.ipynb", "--out", tmp_path / "grades", env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert finished.returncode == 0, finished.stderr
    assert "\\u5b66.ipynb: The file is empty." in finished.stdout


def test_the_grader_sets_up_what_the_practice_notebook_does():
    setup = next(cell for cell in make_submissions.answered() if cell["id"] == "setup")
    assert setup["source"].startswith(SETUP)


# --- The student's own check ------------------------------------------------------------------------------------------


def only(*numbers: int) -> make_submissions.Cells:
    """The practice notebook with only some of the problems solved: the self-check is slow on purpose."""
    cells = make_submissions.answered()
    for number in set(make_submissions.numbers()) - set(numbers):
        cells[make_submissions.at(cells, number)]["source"] = f"# Problem {number:02d}"
    return cells


def test_a_student_without_the_key_is_told_right_wrong_or_not_yet(tmp_path: Path):
    copy = copy_project(tmp_path / "course")
    shutil.rmtree(copy / "answers" / "key")
    right = (1, 25)
    cells = only(*right)
    cells[make_submissions.at(cells, 3)]["source"] = "# Problem 03\nprint(0)"
    (copy / "chapters" / "12-practice.ipynb").write_bytes(make_submissions.notebook(cells))
    summary = tmp_path / "summary.md"
    summary.write_text("# Earlier\n")
    finished = subprocess.run(
        [sys.executable, "-m", "answers.grading", "--self-check", "--no-sandbox", "--summary", summary, "--out", "grades", "chapters/12-practice.ipynb"],
        cwd=copy, capture_output=True, text=True, timeout=180,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    lines = summary.read_text().splitlines()
    assert lines[0] == "# Earlier"
    told = {
        int(line.split("|")[1]): line.split("|")[2].strip()
        for line in lines
        if line.startswith("| ") and line[2].isdigit()
    }
    assert told == dict.fromkeys(make_submissions.numbers(), "not yet") | dict.fromkeys(right, "right") | {3: "wrong"}
    assert "It was not tried on others." in summary.read_text()


def test_published_pages_of_the_key_are_used(tmp_path: Path):
    """With the odd pages there, a typed-in answer to an odd problem is found out; an even one cannot be."""
    key = tmp_path / "key"
    key.mkdir()
    for number in (5, 7):
        shutil.copy(ROOT / "answers" / "key" / f"problem-{number:02d}.md", key)
    cells = only(5, 6, 7)
    for number in (5, 6):
        cells[make_submissions.at(cells, number)]["source"] = make_submissions.typed(number)
    notebook = tmp_path / "mine.ipynb"
    notebook.write_bytes(make_submissions.notebook(cells))
    finished = grade("--self-check", "--key", key, "--out", tmp_path / "grades", notebook)
    assert finished.returncode == 0, finished.stderr
    lines = {line[:10]: line for line in finished.stdout.splitlines()}
    assert "typed in" in lines["Problem 05"] and "for other inputs, too" in lines["Problem 07"]
    assert "not tried on others" in lines["Problem 06"]


# --- The page ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def gradebook(tmp_path: Path) -> Path:
    """A page with a class of forty, among them a long name and two that were not graded."""
    rows = []
    for student in range(40):
        results = tuple(
            Result(
                number,
                "right" if (student + number) % 7 else "wrong",
                "It printed nothing." if (student + number) % 7 == 0 else "Right.",
            )
            for number in make_submissions.numbers()
        )
        name = (
            f"student-{student}.ipynb"
            if student
            else "a-very-long-family-name_and_given_name_1234567_assignsubmission_file/12-practice.ipynb"
        )
        rows.append(Row(name, "", "graded", "", results, ("Problem 05: a remark.",) if student == 1 else ()))
    rows += [
        Row("x.pdf", "", "unreadable", "The file is not text."),
        Row("y.ipynb", "", "failed", "The Python kernel did not start."),
    ]
    path = tmp_path / "gradebook.html"
    path.write_text(html.gradebook(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [1280, 390, 320])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_reads_well(gradebook: Path, page: Page, width: int, scheme: str):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(gradebook.as_uri())
    page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
    assert asked == [gradebook.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("html").get_attribute("lang") == "en" and page.locator("h1").count() == 1
    listed = page.locator("main table").last.locator("tbody tr")
    assert listed.count() == 42
    first = listed.locator("th").evaluate_all("all => all.slice(0, 3).map(one => one.firstChild.data)")
    assert first[:2] == ["x.pdf", "y.ipynb"] and first[2].startswith("a-very-long")  # not graded: first
    assert page.locator("tbody tr > th[scope=row]:first-child").count() == page.locator("tbody tr").count()
    assert all(page.locator("thead th").evaluate_all("all => all.map(one => one.scope === 'col')"))
    images = page.locator("svg[role=img]").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    assert len(images) == 2 and all(len(words) > 40 for words in images)
    small = page.evaluate(
        """() => [...document.querySelectorAll('svg[role=img] text')].map(text => text.getBoundingClientRect().height).filter(height => height < 9)"""
    )
    assert small == []
    faint = page.evaluate(CONTRAST)
    assert faint == []


# Every piece of text against the page's ground, which is one colour throughout: at least 4.5 to 1.
CONTRAST = """() => {
  const light = colour => { const [r, g, b] = colour.match(/[\\d.]+/g).map(x => x / 255)
    .map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll('body *')].filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()))
    .filter(one => one.getClientRects().length)
    .map(one => [one.textContent.slice(0, 30), light(one.namespaceURI.endsWith('svg') ? getComputedStyle(one).fill : getComputedStyle(one).color)])
    .filter(([, ink]) => (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05) < 4.5).map(([words]) => words);
}"""


# --- A real JupyterLab ------------------------------------------------------------------------------------------------


def test_answers_typed_in_jupyterlab_get_full_marks(page: Page, tmp_path: Path):
    copy = copy_project(tmp_path / "course")
    path = copy / "chapters" / "12-practice.ipynb"
    cells = json.loads(path.read_text())["cells"]
    for cell in cells:
        if cell["cell_type"] == "code":
            cell |= {"execution_count": None, "outputs": []}  # as nobody has run it
    path.write_bytes(make_submissions.notebook(cells))
    # Show all cells at once: JupyterLab otherwise builds those on screen only, and a test cannot type into the others.
    settings = tmp_path / "scratch" / "settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    (settings / "tracker.jupyterlab-settings").write_text(json.dumps({"windowingMode": "none"}))
    with jupyterlab(copy, tmp_path / "scratch") as address:
        open_notebook(page, address, "chapters/12-practice.ipynb")
        for number in make_submissions.numbers():
            first, answer = make_submissions.solution(number).split("\n", 1)
            editor = page.locator(".jp-CodeCell .cm-content").filter(has_text=first).first
            editor.click()
            page.keyboard.press("Control+End")
            page.keyboard.insert_text("\n" + answer)
        run_all(page, path)

    saved = json.loads(path.read_text())
    assert all(
        "".join(cell["source"]).count("\n") > 0
        for cell in saved["cells"]
        if cell.get("id", "").startswith("problem-") and cell["cell_type"] == "code"
    )
    checked = [cell for cell in saved["cells"] if cell.get("id", "").startswith("check-")]
    told = ["".join(output["text"]) for cell in checked for output in cell["outputs"]]
    assert len(told) == len(make_submissions.numbers()) and all(": right." in words for words in told), told

    finished = grade(path, "--out", tmp_path / "grades")
    assert finished.returncode == 0, finished.stderr
    assert "22 of 22 problems right" in finished.stdout
