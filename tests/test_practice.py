"""The practice notebook: its cells, its self-check in a real kernel and in a real JupyterLab, and what the check gives away."""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from playwright.sync_api import Page, expect

from jupyterlab import jupyterlab, open_notebook
from kernels import AsyncFolderKernelManager
from notebooks import ROOT, printed_text, read_notebook
from tree import copy_project

sys.path.insert(0, str(ROOT))
from answers import derive  # noqa: E402
from answers.problems import Problem, load_key, run  # noqa: E402
from chapters.practice_check import HASHES, NOT_YET, RIGHT, WRONG_ROUNDING, Cost, Line, canonical, digest, judge, read  # noqa: E402

PRACTICE = ROOT / "chapters" / "12-practice.ipynb"
PROBLEMS = load_key()
COMPUTED = [problem for problem in PROBLEMS if problem.computed]
CHEAP = Cost(n=2, r=1, p=1)  # the same code without the waiting


def of_number(number: int) -> Problem:
    return next(problem for problem in PROBLEMS if problem.number == number)


# --- The notebook -----------------------------------------------------------------------------------------------------


def test_every_problem_has_its_cells_in_order():
    cells = read_notebook(PRACTICE).cells
    ids = [cell.id for cell in cells]
    wanted = []
    for problem in PROBLEMS:
        number = f"{problem.number:02d}"
        wanted.append(f"statement-{number}")
        if problem.computed:
            wanted += [f"data-{number}", f"problem-{number}", f"check-{number}"]
            if problem.written:
                wanted.append(f"sentence-{number}")
        else:
            wanted.append(f"problem-{number}")
    assert [name for name in ids if re.match(r"(statement|data|problem|check|sentence)-\d\d$", name)] == wanted
    by_id = {cell.id: cell for cell in cells}
    for problem in PROBLEMS:
        number = f"{problem.number:02d}"
        answer = by_id[problem.name]
        assert problem.name in answer.metadata.tags
        assert answer.metadata.get("editable", True)
        if problem.computed:
            assert (answer.cell_type, answer.source) == ("code", f"# Problem {number}")
            data = by_id[f"data-{number}"]
            assert data.source == problem.data and "locked" in data.metadata.tags
            assert data.metadata.editable is False and data.metadata.deletable is False
            for line in problem.lines:
                assert line.what in by_id[f"statement-{number}"].source
        else:
            assert answer.cell_type == "markdown" and "Write here" in answer.source


def test_no_answer_can_be_read():
    notebook = PRACTICE.read_text(encoding="utf-8")
    stored = HASHES.read_text(encoding="utf-8")
    for problem in COMPUTED:
        code = problem.solution.partition("\n")[2]
        assert json.dumps(code)[1:-1] not in notebook
        entry = json.loads(stored)["problems"][problem.name]
        assert set(entry) == {"lines"}
        for line in entry["lines"]:
            assert set(line) == {"what", "decimals", "unit", "salt", "hash"}
            assert re.fullmatch(r"[0-9a-f]{32}", line["hash"])
        salts = [line["salt"] for line in entry["lines"]]
        assert len(set(salts)) == len(salts)
    cells = read_notebook(PRACTICE).cells
    printed = [printed_text(cell) for cell in cells if cell.cell_type == "code" and cell.id != "example"]
    assert set(filter(None, printed)) == {
        f"Problem {problem.number:02d}: not yet. Its answer cell has printed nothing. Write your answer there, run it, then run "
        "this cell again.\n"
        for problem in COMPUTED
    }


def test_the_hash_is_slow():
    """All numbers with four decimals between 0 and 1 are 10,000 guesses a line. They must take minutes, not a second."""
    cost = Cost(**json.loads(HASHES.read_text(encoding="utf-8"))["cost"])
    assert cost == derive.COST
    times = []
    for guess in range(5):
        began = time.perf_counter()
        digest(f"0.{guess:04d}", "salt", cost)
        times.append(time.perf_counter() - began)
    assert 10_000 * min(times) > 120, f"10,000 guesses take {10_000 * min(times):.0f} s"
    assert 128 * cost.n * cost.r >= 2**25, "each guess should cost 32 MB, which a graphics card has not for thousands at once"


def test_only_the_answers_own_form_is_stored():
    """A stored coarser rounding would let a search find one digit at a time. One hash a line, of the full form."""
    for problem in COMPUTED:
        stored = json.loads(HASHES.read_text(encoding="utf-8"))["problems"][problem.name]["lines"]
        assert len(stored) == len(problem.lines)


# --- Reading ----------------------------------------------------------------------------------------------------------

FOUR = Line("a share", decimals=4)
PERCENT = Line("a score", decimals=1, unit="percent")
POINTS = Line("a gap", decimals=1, unit="percentage points")
WHOLE = Line("a count")
FRACTION = Line("a fraction", unit="fraction")
YES_NO = Line("a question", unit="true or false")


@pytest.mark.parametrize(
    ("shown", "line", "wanted"),
    [
        ("0.25", FOUR, "0.2500"),
        (".25", FOUR, "0.2500"),
        ("0.250", FOUR, "0.2500"),
        ("  0.25 \t", FOUR, "0.2500"),
        ("+0.25", FOUR, "0.2500"),
        ("0.25.", FOUR, "0.2500"),
        ("2.5e-1", FOUR, "0.2500"),
        ("np.float64(0.25)", FOUR, "0.2500"),
        ("numpy.float32(0.25)", FOUR, "0.2500"),
        ("np.int64(26)", WHOLE, "26"),
        ("-0.0389", FOUR, "-0.0389"),
        ("\N{MINUS SIGN}0.0389", FOUR, "-0.0389"),
        ("-0.0", FOUR, "0.0000"),
        ("0", FOUR, "0.0000"),
        ("0.25001", FOUR, "0.25001"),
        ("25%", PERCENT, "25.0 percent"),
        ("25 %", PERCENT, "25.0 percent"),
        ("25 percent", PERCENT, "25.0 percent"),
        ("25.0 Percent.", PERCENT, "25.0 percent"),
        ("25.0 per cent", PERCENT, "25.0 percent"),
        ("np.float64(25.0) percent", PERCENT, None),
        ("25.0", PERCENT, None),
        ("25.0 percentage points", POINTS, "25.0 percentage points"),
        ("25 points", POINTS, "25.0 percentage points"),
        ("25 percent", POINTS, None),
        ("25.0 percentage points", PERCENT, None),
        ("25%", FOUR, None),
        ("4,227", WHOLE, "4227"),
        ("4227", WHOLE, "4227"),
        ("4,22", WHOLE, None),
        ("26.0", WHOLE, "26"),
        ("12/20", FRACTION, "3/5"),
        ("3 / 5", FRACTION, "3/5"),
        ("0.6", FRACTION, None),
        ("1/0", FRACTION, None),
        ("True", YES_NO, "True"),
        ("np.False_", YES_NO, "False"),
        ("np.bool_(True)", YES_NO, "True"),
        ("yes", YES_NO, None),
        ("the answer is 0.25", FOUR, None),
        ("0.25 0.5", FOUR, None),
        ("nan", FOUR, None),
        ("inf", FOUR, None),
        ("1e999", FOUR, None),
        ("9" * 400, WHOLE, None),
        ("", FOUR, None),
    ],
)
def test_reading(shown: str, line: Line, wanted: str | None):
    form = canonical(shown + "\n", [line])
    assert form == (None if wanted is None else wanted + "\n")


@pytest.mark.parametrize(
    ("shown", "note"),
    [
        ("25%", "I read 25% as 25 percent."),
        ("np.float64(0.25)", "I read np.float64(0.25) as 0.25: the rest is NumPy's name for the kind of number."),
        ("np.True_", "I read np.True_ as True: NumPy's way to write it."),
        ("4,227", "I read 4,227 as 4227: the comma groups thousands."),
        ("25 points", "I read 25 points as 25 percentage points."),
        ("-0.0", "I read -0.0 as 0: zero has no sign, the minus is a leftover of the computer's rounding."),
        ("0.25", ""),
        ("25.0 percent", ""),
    ],
)
def test_a_reading_says_why(shown: str, note: str):
    reading = read(shown)
    assert reading is not None and reading.note == note


# --- Judging ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cheap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The self-check's file with hashes that cost nothing, so that hundreds of answers can be judged."""
    path = tmp_path_factory.mktemp("hashes") / "practice_check.json"
    path.write_text(derive.check_file(PROBLEMS, CHEAP), encoding="utf-8")
    return path


# Wrong programs: what a student changes in the right one, by mistake. (what was wrong, old, new)
WRONG = {
    1: [("upside down", "right / questions", "questions / right"), ("wrong ones counted", "right / questions", "(questions - right) / questions"), ("no hundred", "100 * accuracy", "accuracy")],
    2: [("not subtracted", "1 - first_share", "first_share"), ("from one hundred", "1 - second_share", "100 - second_share"), ("minus one", "1 - third_share", "third_share - 1")],
    3: [("a square", "first_share * (1 - first_share)", "first_share ** 2"), ("doubled", "second_share * (1 - second_share)", "2 * second_share"), ("no bracket", "first_share * (1 - first_share)", "first_share * 1 - first_share")],
    4: [("halved", "math.sqrt(first_number)", "first_number / 2"), ("squared", "math.sqrt(second_number)", "second_number ** 2"), ("a place off", "math.sqrt(first_number)", "math.sqrt(10 * first_number)")],
    5: [("n - 1", "product / questions", "product / (questions - 1)"), ("no root", "math.sqrt(variance)", "variance"), ("root of n", "product / questions", "product / math.sqrt(questions)")],
    6: [("z = 2", "critical_value *", "2 *"), ("the 99 percent value", "critical_value *", "2.58 *"), ("the whole width", "critical_value *", "2 * critical_value *")],
    7: [("trimmed at one", "accuracy + margin", "min(1, accuracy + margin)"), ("half the margin", "accuracy - margin", "accuracy - margin / 2"), ("one decimal", "100 * low_end, 2", "100 * low_end, 1")],
    8: [("zero forgotten", "questions + 1", "questions"), ("gaps of n + 1", "100 / questions", "100 / (questions + 1)"), ("share for points", "100 / questions", "1 / questions")],
    9: [("wrong way", "percentage / 100", "percentage * 100"), ("a share left", "100 * share", "share"), ("wrong ones", "100 * right / questions", "100 * (questions - right) / questions")],
    10: [("half-widths", "first_high - first_low", "(first_high - first_low) / 2"), ("other order", "first_width - second_width", "second_width - first_width"), ("the middles", "first_high - first_low", "(first_high + first_low) / 2")],
    11: [("n - 1", "(1 - accuracy) / questions", "(1 - accuracy) / (questions - 1)"), ("z = 2", "critical_value *", "2 *"), ("rounded early", "margin = critical_value * standard_error", "margin = critical_value * round(standard_error, 4)"), ("one standard error", "critical_value *", "1 *")],
    12: [("the Wald interval", "centre = (right + square / 2) / denominator\nroot = math.sqrt(accuracy * (1 - accuracy) * questions + square / 4)\nhalf_width = critical_value / denominator * root", "centre = accuracy\nhalf_width = critical_value * math.sqrt(accuracy * (1 - accuracy) / questions)"), ("the plus four interval", "square = critical_value ** 2", "square = 4"), ("z not squared", "critical_value ** 2", "critical_value"), ("no quarter", "square / 4", "square"), ("n - 1", "denominator = questions", "denominator = questions - 1")],
    13: [("the Wald interval", "questions + 4\nnew_share = (right + 2)", "questions\nnew_share = right"), ("plus two only", "questions + 4", "questions + 2"), ("z = 2", "critical_value *", "2 *"), ("old n under the root", "/ new_questions)\n", "/ questions)\n")],
    14: [("counted from zero", "results[slip - 1]", "results[slip - 2]"), ("a count", "right / len(draws)", "right"), ("the wrong ones", "results[slip - 1]", "1 - results[slip - 1]"), ("n - 1", "right / len(draws)", "right / (len(draws) - 1)")],
    15: [("without the row itself", "<= cutoff", "< cutoff"), ("the other side", "<= cutoff", ">= cutoff"), ("only the row", "<= cutoff", "== cutoff"), ("rows counted", "how_many + counts[position]", "how_many + 1")],
    16: [("without the row itself", ">= cutoff", "> cutoff"), ("the other side", ">= cutoff", "<= cutoff"), ("only the row", ">= cutoff", "== cutoff"), ("rows counted", "how_many + counts[position]", "how_many + 1")],
    18: [("rounded down", "math.ceil(needed)", "math.floor(needed)"), ("z = 2", "half_width = critical_value *", "half_width = 2 *"), ("not squared", ") ** 2 *", ") *"), ("n - 1", "(1 - planned_share) / questions)", "(1 - planned_share) / (questions - 1))")],
    19: [("one model's rows", "llama_run_one + qwen_run_one", "qwen_run_one"), ("other model", "sum(qwen_run_one)", "sum(llama_run_one)"), ("a rise, not points", "100 * (second_score - first_score)", "100 * (second_score / first_score - 1)"), ("same rows counted", "!= all_run_two[row]", "== all_run_two[row]")],
    20: [("Wilson's end", "print(round(accuracy + margin, 4))", "print(0.1611)"), ("the rule of three", "print(round(accuracy + margin, 4))", "print(3 / questions)"), ("z itself", "margin = critical_value * standard_error", "margin = critical_value / questions")],
    21: [("the Wald interval", "centre = (right + square / 2) / denominator", "centre = 0\ncritical_value = 0"), ("half of it", "high_end = centre + half_width", "high_end = centre"), ("z = 2", "square = critical_value ** 2", "critical_value = 2\nsquare = 4"), ("dust printed", "print(round(low_end, 4))", "print(0.00000000000000001)")],
    22: [("a ratio of questions", "first_half_width / second_half_width", "second_questions / first_questions"), ("no root", "first_half_width = critical_value * math.sqrt(", "first_half_width = critical_value * ("), ("z = 2", "first_half_width = critical_value", "first_half_width = 2"), ("upside down", "first_half_width / second_half_width", "second_half_width / first_half_width")],
    25: [("the bare ceiling", "round(needed, 6)", "needed"), ("from the rounded width", "half_width / 2", "0.0155"), ("twice the questions", "print(math.ceil(round(needed, 6)))", "print(2 * questions)"), ("z = 2", "half_width = critical_value * math", "half_width = 2 * math")],
}  # fmt: skip


def programs(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield what the wrong programs of a problem print."""
    for why, old, new in WRONG[problem.number]:
        assert old in problem.solution, f"{problem.name}, {why}: there is no {old!r} to change"
        yield why, run(problem.setup, problem.data, problem.solution.replace(old, new))


def slips(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield the right output with the slips that happen in any problem: a unit, a line, a sign, a factor of a hundred."""
    lines = problem.output.splitlines()

    def with_last(text: str) -> str:
        return "\n".join([*lines[:-1], text]) + "\n"

    place = max(place for place, line in enumerate(problem.lines) if line.unit not in ("fraction", "true or false"))
    number, _, unit = lines[place].partition(" ")

    def with_number(value: float, words: str = unit) -> str:
        return "\n".join([*lines[:place], f"{round(value, 9)} {words}".rstrip(), *lines[place + 1 :]]) + "\n"

    value = float(number)
    other_unit = {"percent": "percentage points", "percentage points": "percent", "": "percent"}[unit]
    yield "points for percent, or a unit where none belongs", with_number(value, other_unit)
    if unit:
        yield "the unit forgotten", with_number(value, "")
    if value:
        yield "a share for a percentage", with_number(value / 100)
        yield "a percentage for a share", with_number(value * 100)
        yield "the sign turned", with_number(-value)
    yield "what is left over", with_number((100 if unit else 1) - value)
    yield "words before the number", with_last(f"answer = {lines[-1]}")
    yield "a line too many", problem.output + lines[-1] + "\n"
    yield "all on one line", " ".join(lines) + "\n" if len(lines) > 1 else f"{lines[0]} {lines[0]}\n"
    if len(lines) > 1:
        yield "the last line missing", "\n".join(lines[:-1]) + "\n"
    yield "words only", "done\n" * len(lines)


def roundings(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield the right output with its numbers rounded wrongly."""
    lines = problem.output.splitlines()
    for place, line in enumerate(problem.lines):
        if line.unit in ("fraction", "true or false"):
            continue
        number, _, unit = lines[place].partition(" ")

        def with_number(text: str) -> str:
            return "\n".join([*lines[:place], f"{text} {unit}".rstrip(), *lines[place + 1 :]]) + "\n"

        value = float(number)
        yield f"line {place + 1} with too many decimals", with_number(f"{value + 0.2 * 10**-line.decimals:.{line.decimals + 3}f}")
        if line.decimals:
            yield f"line {place + 1} one up in the last decimal", with_number(f"{value + 10**-line.decimals:.{line.decimals}f}")
            yield f"line {place + 1} one down in the last decimal", with_number(f"{value - 10**-line.decimals:.{line.decimals}f}")
            fewer = f"{value:.{line.decimals - 1}f}"
            if float(fewer) != value:
                yield f"line {place + 1} with too few decimals", with_number(fewer)


@pytest.mark.parametrize("problem", COMPUTED, ids=lambda problem: problem.name)
def test_ten_wrong_answers_fail(problem: Problem, cheap: Path):
    wrong = dict([*programs(problem), *slips(problem)])
    assert len(wrong) >= 10 and len(set(wrong.values())) >= 10, f"only {len(set(wrong.values()))} different wrong answers"
    for why, text in wrong.items():
        verdict = judge(problem.number, text, cheap)
        assert verdict.kind != RIGHT, f"{problem.name}: {why} is taken for right: {text!r}"
        assert verdict.sentences
    rounded = dict(roundings(problem))
    for why, text in rounded.items():
        verdict = judge(problem.number, text, cheap)
        assert verdict.kind == WRONG_ROUNDING, f"{problem.name}: {why} is called {verdict.kind}: {text!r}"
    assert judge(problem.number, problem.output, cheap) == judge(problem.number, problem.output.replace("\n", "  \n\n"), cheap)
    assert judge(problem.number, problem.output, cheap).kind == RIGHT
    assert judge(problem.number, problem.second_output, cheap).kind != RIGHT


@pytest.mark.parametrize(
    ("number", "text", "kind", "sentence"),
    [
        (6, "0.1315", RIGHT, ""),
        (6, "np.float64(0.1315)", RIGHT, "Line 1, the margin of error: right. I read np.float64(0.1315) as 0.1315"),
        (6, "0.131516", WRONG_ROUNDING, "You printed six decimals. The line asks for four decimals."),
        (6, "0.132", WRONG_ROUNDING, "You printed three decimals. The line asks for four decimals."),
        (6, "0.13", NOT_YET, "not yet. The line asks for four decimals."),
        (6, "0.1316", WRONG_ROUNDING, "one away in its last decimal"),
        (6, "13.15", NOT_YET, "This is the percentage."),
        (6, "13.15%", NOT_YET, "I read 13.15% as 13.15 percent. I read this as a number of percent. This line asks for the number alone"),
        (6, "0.1342", NOT_YET, "Line 1, the margin of error: not yet."),
        (6, "margin: 0.1315", NOT_YET, "I cannot read 'margin: 0.1315'. Print the number alone"),
        (6, "0,1315", NOT_YET, "I cannot read '0,1315'. Write the decimals after a point, not after a comma. Print the number alone"),
        (6, "1e" + "9" * 30, NOT_YET, "I cannot read '1e999"),
        (6, "1" * 4500 + "/1", NOT_YET, "I cannot read '111"),
        (6, "", NOT_YET, "printed nothing"),
        (8, "26\n4.0 percent", NOT_YET, "is in percentage points, not in percent"),
        (8, "26\n4.0", NOT_YET, "Print the words after it: percentage points."),
        (8, "26\n0.04 percentage points", NOT_YET, "This is the share. Multiply by one hundred"),
        (8, "26", NOT_YET, "asks for two lines. Your cell printed one line."),
        (25, "3.1 percentage points\n4000.000000000001", WRONG_ROUNDING, "asks for no decimals"),
        (25, "3.1 percentage points\n4001", NOT_YET, "Line 2, how many questions halve it: not yet."),
        (25, "3.1 percentage points\n4,000", RIGHT, "the comma groups thousands"),
        (21, "-0.0\n0.1611", RIGHT, "zero has no sign"),
        (21, "-1.4e-17\n0.1611", WRONG_ROUNDING, "Line 1, the low end"),
        (18, "0.1386\n13.9 percentage points\n96.04", WRONG_ROUNDING, "You printed two decimals. The line asks for no decimals."),
        (7, "0.7685\n1.0315\n76.8 percent\n103.15 percent\nFalse\nTrue", WRONG_ROUNDING, "You printed one decimal. The line asks for two decimals."),
    ],
)
def test_what_the_check_says(number: int, text: str, kind: str, sentence: str, cheap: Path):
    verdict = judge(number, text, cheap)
    assert verdict.kind == kind, verdict
    assert sentence in " ".join(verdict.sentences)


def test_the_check_needs_its_file(tmp_path: Path, cheap: Path):
    with pytest.raises(FileNotFoundError, match="Get the whole course folder"):
        judge(5, "0.5", tmp_path / "practice_check.json")
    with pytest.raises(ValueError, match="Problem 17 has no self-check"):
        judge(17, "0.5", cheap)


# --- In a kernel ------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the notebook and what it imports, and nothing else: no key."""
    for name in ("12-practice.ipynb", "practice_check.py", "practice_check.json"):
        shutil.copy(ROOT / "chapters" / name, tmp_path)
    return tmp_path


def execute(notebook: nbformat.NotebookNode, folder: Path) -> dict[str, str]:
    """Run a notebook in its own kernel and return what each code cell printed, by id."""
    NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3", kernel_manager_class=AsyncFolderKernelManager, resources={"metadata": {"path": str(folder)}}).execute()
    return {cell.id: printed_text(cell) for cell in notebook.cells if cell.cell_type == "code"}


def test_every_solution_passes_its_check(folder: Path):
    notebook = read_notebook(folder / "12-practice.ipynb")
    for cell in notebook.cells:
        for problem in COMPUTED:
            if cell.id == problem.name:
                cell.source = problem.solution
    printed = execute(notebook, folder)
    for problem in COMPUTED:
        number = f"{problem.number:02d}"
        assert printed[problem.name] == problem.output
        assert printed[f"check-{number}"] == f"Problem {number}: right.\n"


def test_the_check_follows_what_the_student_does(folder: Path):
    """Cells run out of order, stopped, shown without print, run on another problem's numbers: each gets its sentence."""
    check = "import practice_check\npractice_check.check(6)"
    right = of_number(6).solution
    data, other = of_number(6).data, of_number(5).data
    steps = [
        (check, "Problem 06: run the first cell of this notebook, then the data cell and your answer cell again."),
        ("practice_check.start()", ""),
        (check, "has printed nothing. Write your answer there"),
        (right, None),
        (check, "Its answer cell stopped with NameError."),
        (data, ""),
        (right, "0.1315"),
        (check, "Problem 06: right."),
        (right.replace("critical_value", "2"), "0.1342"),
        (check, "Problem 06: not yet."),
        ("# Problem 06\n0.1315", None),
        (check, "Put that value inside print( )"),
        (other, ""),
        (right, "0.1315"),
        (check, "Its data cell was not the last to run."),
        (data, ""),
        ("\n#problem 6\nprint('0.1315')", "0.1315"),
        (check, "Problem 06: right."),
        ("# Problem 06\nimport numpy\nnumpy.float64(0.1315)\nprint([numpy.float64(0.1315)][0])", "0.1315"),
        (check, "Problem 06: right."),
        ("# Problem 06\nprint('0.13', end='')\nprint('15')", "0.1315"),
        (check, "Problem 06: right."),
        ("print('0.5')", "0.5"),
        (check, "Problem 06: right."),
        ("practice_check.start()\npractice_check.start()", ""),
        (check, "has printed nothing"),
        (data, ""),
        (right, "0.1315"),
        (check, "Problem 06: right."),
        ("# Problem 06\nprint('0.1315')\n(", None),
        (check, "stopped with SyntaxError"),
    ]
    notebook = nbformat.v4.new_notebook()
    for place, (source, _) in enumerate(steps):
        cell = nbformat.v4.new_code_cell(source)
        cell.id = f"step-{place}"
        notebook.cells.append(cell)
    printed = execute(notebook, folder)
    for place, (source, wanted) in enumerate(steps):
        if wanted is not None:
            assert wanted in printed[f"step-{place}"], f"step {place}, {source!r} printed {printed[f'step-{place}']!r}"


# --- In JupyterLab ----------------------------------------------------------------------------------------------------


def test_the_first_five_problems_in_jupyterlab(page: Page, tmp_path: Path):
    """Typed and run through the page, as a student does it."""
    copy = copy_project(tmp_path / "course")
    shutil.rmtree(copy / "answers" / "key")
    notebook = nbformat.read(copy / "chapters" / "12-practice.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    nbformat.write(notebook, copy / "chapters" / "12-practice.ipynb")

    def run_cell(cell_id: str, source: str | None = None) -> str:
        """Type into a cell if there is something to type, run it with Shift+Enter, return what it printed."""
        place = next(place for place, cell in enumerate(notebook.cells) if cell.id == cell_id)
        cell = page.locator(f'.jp-Cell[data-windowed-list-index="{place}"]')
        cell.scroll_into_view_if_needed()
        cell.locator(".cm-content").click()
        expect(cell).to_have_class(re.compile("jp-mod-active"))
        if source is not None:
            page.keyboard.press("Control+a")
            page.keyboard.insert_text(source)
        page.keyboard.press("Shift+Enter")
        page.keyboard.press("Escape")
        expect(cell.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"), timeout=30_000)
        shown = cell.locator(".jp-OutputArea-output")
        return shown.inner_text().strip() if shown.count() else ""

    with jupyterlab(copy, tmp_path / "scratch") as address:
        open_notebook(page, address, "chapters/12-practice.ipynb")
        run_cell("setup")
        for problem in COMPUTED[:5]:
            number = f"{problem.number:02d}"
            run_cell(f"data-{number}")
            assert "not yet" in run_cell(f"check-{number}")
            assert run_cell(problem.name, problem.solution) == problem.output.strip()
            assert run_cell(f"check-{number}") == f"Problem {number}: right."
        page.screenshot(path=tmp_path / "practice.png")
