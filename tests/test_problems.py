"""The key: its figures against the ledger and independent references, its traps, what is made from it, what stays off the site."""

from __future__ import annotations

import csv
import html
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy
import pytest
import yaml
from playwright.sync_api import Page
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

from notebooks import ROOT, printed_text, read_notebook

sys.path.insert(0, str(ROOT))
from answers import derive  # noqa: E402
from answers.problems import KEY, NUMBERS, KeyFault, Problem, load_key, load_try_its, run  # noqa: E402
from chapters.practice_check import read  # noqa: E402

LEDGER = yaml.safe_load((ROOT / "tests" / "ledger.yml").read_text(encoding="utf-8"))
PROBLEMS = {problem.number: problem for problem in load_key()}
COMPUTED = [number for number in NUMBERS if PROBLEMS[number].computed]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
ALPHA = 2 * stats.norm.sf(1.96)  # the level that belongs to the book's rounded critical value


def inputs(source: str) -> SimpleNamespace:
    """Return the names that a data cell sets."""
    names: dict[str, object] = {}
    exec(source, names)
    names.pop("__builtins__")
    return SimpleNamespace(**names)


# --- Figures ----------------------------------------------------------------------------------------------------------


def test_which_problems_are_computed_and_which_are_written():
    assert [number for number in NUMBERS if not PROBLEMS[number].computed] == [17, 23, 24, 26]
    assert [number for number in COMPUTED if PROBLEMS[number].written] == [3, 12, 20, 21, 22, 25]
    assert len(NUMBERS) == len(LEDGER["problems"]) == 26


@pytest.mark.parametrize("number", NUMBERS)
def test_answers_equal_the_ledger(number: int):
    """Each number of the ledger's answer is printed, in order, beside the unit that the ledger gives it."""
    problem = PROBLEMS[number]
    lines = iter(problem.output.splitlines())
    found = 0
    for answer in LEDGER["problems"][number]["answer"]:
        plain = re.sub(r"\(.*?\)| of \d+", "", answer)
        for figure, unit in re.findall(rf"({NUMBER.pattern})(?: (percentage points|percent))?", plain.replace("12/20", "12")):
            line = next((line for line in lines if float(figure) in map(float, NUMBER.findall(line))), None)
            assert line is not None, f"{problem.name} does not print the ledger's {figure} in its place"
            assert unit in line, f"{problem.name} prints {line!r} where the ledger says {answer!r}"
            found += 1
    if not found:
        assert LEDGER["problems"][number]["answer"] == ["written"] and problem.written


def test_written_parts_say_what_the_ledger_says():
    assert "swap places" in PROBLEMS[3].model_answer
    assert "impossible" in PROBLEMS[7].explanation
    assert "first interval is wider" in PROBLEMS[10].explanation


def wald(right: int, questions: int) -> tuple[float, float]:
    """The Wald interval from the binomial distribution's own standard deviation."""
    share = right / questions
    margin = 1.96 * stats.binom(questions, share).std() / questions
    return share - margin, share + margin


def wilson(right: int, questions: int) -> tuple[float, float]:
    return proportion_confint(right, questions, alpha=ALPHA, method="wilson")


def exact(number: float) -> Fraction:
    return Fraction(str(number))


def smallest_test(half_width_squared: Fraction) -> int:
    """The smallest number of questions whose half-width at one half is not above a limit, by search, in exact fractions."""
    square = Fraction("1.96") ** 2 / 4
    questions = 1
    while square / questions > half_width_squared:
        questions += 1
    return questions


def oracle_12(given: SimpleNamespace) -> list:
    low, high = wilson(given.right, given.questions)
    return [(low + high) / 2, (high - low) / 2, low, high]


def oracle_13(given: SimpleNamespace) -> list:
    low, high = proportion_confint(given.right + 2, given.questions + 4, alpha=ALPHA, method="normal")
    return [low, high, 100 * (given.wilson_low - low), 100 * (high - given.wilson_high)]


def oracle_19(given: SimpleNamespace) -> list:
    one = numpy.array([given.llama_run_one, given.qwen_run_one])
    two = numpy.array([given.llama_run_two, given.qwen_run_two])
    first, second = (math.fsum(points[1]) / given.most_points for points in (one, two))
    changed = int(numpy.count_nonzero(one - two))
    return [first, second, 100 * (second - first), changed, Fraction(100 * changed, one.size)]


def tail(given: SimpleNamespace, keep: numpy.ndarray) -> list:
    how_many = int(numpy.array(given.counts)[keep].sum())
    assert sum(given.counts) == given.resamples
    return [how_many, Fraction(100 * how_many, given.resamples)]


# Each reference takes a route of its own: exact fractions, scipy, statsmodels, NumPy or a search.
ORACLES: dict[int, Callable[[SimpleNamespace], list]] = {
    1: lambda g: [Fraction(g.right, g.questions), Fraction(g.right, g.questions), Fraction(100 * g.right, g.questions)],
    2: lambda g: [1 - exact(share) for share in (g.first_share, g.second_share, g.third_share)],
    3: lambda g: [stats.bernoulli(share).var() for share in (g.first_share, g.second_share)],
    4: lambda g: [Fraction(Decimal(str(number)).sqrt()) for number in (g.first_number, g.second_number)],
    5: lambda g: [
        Fraction(g.right, g.questions),
        Fraction(g.questions - g.right, g.questions),
        Fraction(g.right * (g.questions - g.right), g.questions**2),
        Fraction(g.right * (g.questions - g.right), g.questions**3),
        stats.binom(g.questions, g.right / g.questions).std() / g.questions,
    ],
    6: lambda g: [exact(g.critical_value) * exact(g.standard_error)],
    7: lambda g: [
        exact(g.accuracy) - exact(g.margin),
        exact(g.accuracy) + exact(g.margin),
        100 * (exact(g.accuracy) - exact(g.margin)),
        100 * (exact(g.accuracy) + exact(g.margin)),
        exact(g.accuracy) < exact(g.margin),
        exact(g.accuracy) + exact(g.margin) > 1,
    ],
    8: lambda g: [len(range(0, g.questions + 1)), Fraction(100, g.questions)],
    9: lambda g: [100 * exact(g.share), exact(g.percentage) / 100, Fraction(100 * g.right, g.questions)],
    10: lambda g: [
        exact(g.first_high) - exact(g.first_low),
        exact(g.second_high) - exact(g.second_low),
        exact(g.first_high) - exact(g.first_low) - exact(g.second_high) + exact(g.second_low),
    ],
    11: lambda g: [
        Fraction(g.right, g.questions),
        stats.binom(g.questions, g.right / g.questions).std() / g.questions,
        -numpy.diff(proportion_confint(g.right, g.questions, alpha=ALPHA, method="normal")[::-1])[0] / 2,
        *proportion_confint(g.right, g.questions, alpha=ALPHA, method="normal"),
    ],
    12: oracle_12,
    13: oracle_13,
    14: lambda g: [
        Fraction(int(numpy.bincount(g.draws, minlength=len(g.results) + 1)[1:] @ numpy.array(g.results)), len(g.draws))
    ],
    15: lambda g: tail(g, numpy.array(g.scores) <= g.cutoff),
    16: lambda g: tail(g, numpy.array(g.scores) >= g.cutoff),
    18: lambda g: [
        wald(g.questions // 2, g.questions)[1] - 0.5,
        100 * (wald(g.questions // 2, g.questions)[1] - 0.5),
        smallest_test(exact(g.wanted_half_width) ** 2),
    ],
    19: oracle_19,
    20: lambda g: list(wald(g.right, g.questions)),
    21: lambda g: list(wilson(g.right, g.questions)),
    22: lambda g: [
        1.96 * stats.binom(g.first_questions, g.accuracy).std() / g.first_questions,
        1.96 * stats.binom(g.second_questions, g.accuracy).std() / g.second_questions,
        math.sqrt(g.second_questions / g.first_questions),
    ],
    25: lambda g: [
        100 * (wald(g.questions // 2, g.questions)[1] - 0.5),
        smallest_test(Fraction("1.96") ** 2 / 4 / g.questions / 4),
    ],
}


@pytest.mark.parametrize("which", ["first", "second"])
@pytest.mark.parametrize("number", COMPUTED)
def test_answers_equal_an_independent_reference(number: int, which: str):
    problem = PROBLEMS[number]
    data, output = (problem.data, problem.output) if which == "first" else (problem.second_data, problem.second_output)
    wanted = ORACLES[number](inputs(data))
    printed = output.splitlines()
    assert len(printed) == len(wanted) == len(problem.lines)
    for shown, value, line in zip(printed, wanted, problem.lines):
        reading = read(shown)
        assert reading is not None and reading.unit == line.unit and reading.note == "", shown
        if line.unit in ("fraction", "true or false"):
            assert reading.value == value
            continue
        unit = Fraction(1, 10**line.decimals)
        assert abs(Fraction(reading.value) - Fraction(value)) <= unit / 2 + Fraction(1, 10**12), (
            f"{problem.name}, {line.what}: printed {shown}, the reference has {float(value)}"
        )
        # No value may lie so near a half that two correct programs could round it apart.
        steps = abs(Fraction(value)) / unit
        from_half = abs(steps - math.floor(steps) - Fraction(1, 2))
        assert from_half > Fraction(1, 10**4), f"{problem.name}, {line.what}: {float(value)} is a tie at its last decimal"


def test_try_its_equal_statsmodels():
    for problem, (right, questions) in zip(load_try_its(), [(12, 20), (9, 10)]):
        low, high = wald(right, questions)
        assert problem.output == f"{round(100 * low, 1)} percent\n{round(100 * high, 1)} percent\n"
    assert "impossible" in load_try_its()[1].explanation


def test_the_recorded_key_prints_what_was_loaded():
    """What the loader runs in this process is what a kernel printed when the page was recorded."""
    for problem in [*PROBLEMS.values(), *load_try_its()]:
        recorded = read_notebook(KEY / f"{problem.name}.ipynb")
        printed = "".join(printed_text(cell) for cell in recorded.cells if cell.cell_type == "code")
        assert printed == problem.output, f"{problem.name}: make record"


def test_the_two_runs_are_the_files():
    """Problem 19's lists are the points column of the two files, in their order."""
    given = inputs(PROBLEMS[19].data)
    for file, run_name in (("scores_20260427_194044.csv", "run_one"), ("scores_20260427_195142.csv", "run_two")):
        with (ROOT / "lab" / "berkeley" / file).open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        for model, short in (("Llama-3.2-3B", "llama"), ("Qwen-2.5-7B", "qwen")):
            points = [float(row["points_earned"]) for row in rows if row["model"] == model]
            assert points == getattr(given, f"{short}_{run_name}")
            assert sum(float(row["max_points"]) for row in rows if row["model"] == model) == given.most_points
        assert len(rows) == 58


def test_the_frequency_table_is_the_chapters():
    table = next(cell["table"] for cell in LEDGER["chapter_12"]["cells"] if cell["id"] == "distinct-scores")
    for number in (15, 16):
        given = inputs(PROBLEMS[number].data)
        assert [float(row[0]) for row in table] == given.scores
        assert [int(row[1]) for row in table] == given.counts


# --- Traps ------------------------------------------------------------------------------------------------------------


def test_half_of_a_thousands_width_takes_4000_questions():
    problem = PROBLEMS[25]
    assert problem.output.splitlines()[-1] == "4000"
    bare = problem.solution.replace("round(needed, 6)", "needed")
    assert run(problem.setup, problem.data, bare).splitlines()[-1] == "4001", "the trap is no trap any more"
    assert run(problem.setup, problem.data, problem.solution + "\nprint(needed)").splitlines()[-1] == "4000.000000000001"
    assert "4000.000000000001" in problem.explanation and "4001" in problem.explanation
    for questions in range(1, 400):
        data = problem.data.replace("questions = 1000", f"questions = {questions}")
        assert run(problem.setup, data, problem.solution).splitlines()[-1] == str(4 * questions)


def test_zero_is_printed_without_a_sign_or_dust():
    signed = 0
    for number, start in ((20, "questions = 20"), (21, "questions = 20")):
        problem = PROBLEMS[number]
        for questions in range(1, 300):
            data = problem.data.replace(start, f"questions = {questions}")
            assert run(problem.setup, data, problem.solution).splitlines()[0] == "0.0"
            if number == 21:
                unguarded = problem.solution.replace("max(0.0, centre - half_width)", "centre - half_width")
                signed += run(problem.setup, data, unguarded).startswith("-0.0")
    assert signed, "the trap is no trap any more: without the guard nothing prints -0.0"


def test_impossible_ends_are_named():
    assert PROBLEMS[7].output.splitlines()[3:] == ["103.15 percent", "False", "True"]
    assert "**The high end is impossible.**" in PROBLEMS[7].explanation
    assert PROBLEMS[7].second_output.splitlines()[4:] == ["True", "False"]
    assert PROBLEMS[20].output == "0.0\n0.0\n"
    assert "cannot" in PROBLEMS[20].model_answer


def test_a_percentage_on_a_half_keeps_two_decimals():
    assert "76.85 percent" in PROBLEMS[7].output.splitlines()
    assert [line.decimals for line in PROBLEMS[7].lines if line.unit == "percent"] == [2, 2]


def test_what_the_written_answers_claim():
    assert stats.binom(20, 0.25).cdf(1) == pytest.approx(0.02431, abs=5e-6)  # 23
    assert stats.binom(20, 0.25).ppf([0.025, 0.975]) == pytest.approx([2, 9])  # 10 to 45 percent without luck
    assert 0.95**20 == pytest.approx(0.3585, abs=5e-5) and 0.95**20 > 1 / 3  # 20
    reach = [(n, x) for n in range(1, 200) for x in range(n + 1) if f"{100 * x / n:.1f}" == "87.3"]
    assert reach[0] == (55, 48)  # 24
    for only_better, only_worse, p in ((5, 0, 0.0625), (6, 1, 0.125), (6, 0, 0.03125)):  # 26
        assert mcnemar([[0, only_better], [only_worse, 0]], exact=True).pvalue == pytest.approx(p)
    low, high = wilson(14, 20)[1], wilson(19, 20)[0]
    assert low > high, "the two intervals overlap"
    for (right, questions), ends in {(14, 20): "48.10 to 85.45", (19, 20): "76.39 to 99.11"}.items():
        assert " to ".join(f"{100 * end:.2f}" for end in wilson(right, questions)) == ends
        assert ends in PROBLEMS[26].explanation
    for right, ends in {60: "50.2 to 69.1", 74: "64.6 to 81.6"}.items():
        assert " to ".join(f"{100 * end:.1f}" for end in wilson(right, 100)) == ends
        assert ends in PROBLEMS[26].explanation


# --- What is made from the key ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def derived() -> dict[str, str]:
    return derive.derive()


def test_the_derived_files_are_what_the_key_makes(derived: dict[str, str]):
    assert derive.differing(derived, ROOT) == [], "Change the key, never these files, then run: python -m answers.derive"


def test_writing_and_checking(derived: dict[str, str], tmp_path: Path, monkeypatch, capsys):
    monkeypatch.setattr(derive, "derive", lambda key: derived)
    arguments = ["--root", str(tmp_path)]
    assert derive.main([*arguments, "--check"]) == 1
    said = capsys.readouterr().err
    assert all(name in said for name in derived) and "python -m answers.derive" in said
    assert not any(tmp_path.iterdir()), "--check wrote something"
    assert derive.main(arguments) == 0
    assert {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()} == set(derived)
    assert derive.main([*arguments, "--check"]) == 0
    for name, text in derived.items():
        (tmp_path / name).write_text(text.replace("e", "E", 1), encoding="utf-8")
        capsys.readouterr()
        assert derive.main([*arguments, "--check"]) == 1
        assert capsys.readouterr().err.startswith(f"{name} is not what the key makes.")
        derive.write({name: text}, tmp_path)


def drop(tag: str) -> Callable[[str], str]:
    """Return an edit that takes the cell with this tag out of a key page."""

    def edit(text: str) -> str:
        code = rf"```{{code-cell}} python\n---\nlabel: \S+\ntags: \[{tag}\]\n.*?```\n"
        words = rf'\+\+\+ {{"tags": \["{tag}"\].*?(?=\n\+\+\+|\n```{{code-cell}}|\Z)'
        new, count = re.subn(code if re.search(code, text, re.S) else words, "", text, count=1, flags=re.S)
        assert count == 1
        return new

    return edit


def swap(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


FAULTS = {
    "no statement": ("problem-05", drop("statement"), "no cell tagged statement"),
    "no explanation": ("problem-06", drop("explanation"), "no cell tagged explanation"),
    "no data": ("problem-05", drop("data"), "no cell tagged data"),
    "no solution": ("problem-05", drop("solution"), "no cell tagged solution"),
    "no second data": ("problem-05", drop("second-data"), "no cell tagged second-data"),
    "no rubric": ("problem-17", drop("rubric"), "no cell tagged rubric"),
    "no model answer": ("problem-17", drop("model-answer"), "no cell tagged model-answer"),
    "no title": ("problem-24", drop("title"), "no cell tagged title"),
    "no setup": ("problem-05", drop("setup"), "NameError"),
    "no prints": ("problem-06", swap('prints:\n- {what: "the margin of error", decimals: 4}\n', ""), "no prints list"),
    "unknown unit": ("problem-06", swap("decimals: 4}", "decimals: 4, unit: pounds}"), "the unit 'pounds'"),
    "unknown entry": ("problem-06", swap("decimals: 4}", "digits: 4}"), "an entry of prints is wrong"),
    "unknown tag": ("problem-06", swap('["statement"]', '["question"]'), "not exactly one of the key's tags"),
    "two statements": ("problem-06", swap('["explanation"]', '["statement"]'), "two cells are tagged statement"),
    "a line too many": ("problem-06", swap("print(round(margin, 4))", "print(round(margin, 4))\nprint(1)"), "prints '0.1315\\n1\\n'"),
    "first line": ("problem-06", swap("# Problem 06\n", ""), "begin with the line '# Problem 06'"),
    "other names": ("problem-06", swap("standard_error = 0.0433", "error = 0.0433"), "same names"),
    "same answer twice": ("problem-06", swap("0.0433", "0.0671"), "the same output"),
    "no toolkit": ("problem-06", swap('"toolkit": [16, 20]', '"toolkit": []'), "no toolkit"),
    "title's form": ("problem-06", swap("# Problem 6: ", "# "), "the title is not"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_missing_piece_is_an_error_and_nothing_is_written(fault: str, tmp_path: Path, capsys):
    name, edit, sentence = FAULTS[fault]
    key = tmp_path / "key"
    shutil.copytree(KEY, key, ignore=shutil.ignore_patterns("*.ipynb"))
    page = key / f"{name}.md"
    page.write_text(edit(page.read_text(encoding="utf-8")), encoding="utf-8")
    root = tmp_path / "root"
    assert derive.main(["--key", str(key), "--root", str(root)]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"Nothing was written. {name}: ") and sentence in said, said
    assert not root.exists()


def test_a_missing_page_is_an_error(tmp_path: Path):
    shutil.copytree(KEY, tmp_path / "key")
    (tmp_path / "key" / "problem-14.md").unlink()
    with pytest.raises(KeyFault, match="problem-14: the key has no page"):
        load_key(tmp_path / "key")
    assert [problem.number for problem in load_key(tmp_path / "key", numbers=[1, 3])] == [1, 3]


def test_the_command_says_so():
    done = subprocess.run(
        [sys.executable, "-m", "answers.derive", "--key", "nowhere"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "problem-01: the key has no page for it" in done.stderr and "Traceback" not in done.stderr


# --- On the site ------------------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Take markup and the escapes of stored notebooks out of a text."""
    return html.unescape(re.sub(r"</?[a-zA-Z!][^>]*>", " ", text.replace("\\n", " ")))


def words(text: str) -> str:
    """Reduce a text to its words, so that the same sentence looks the same in Markdown, HTML and a stored notebook."""
    return " ".join(re.findall(r"[a-z_]+", plain(text).lower()))


def strokes(text: str) -> str:
    """Reduce code to its letters, digits and operators, for the same purpose."""
    return re.sub(r"[^a-z0-9_<>=+*/()\[\]#-]", "", plain(text).lower())


def sentences(problem: Problem) -> set[str]:
    """Return the word runs of a problem's answer that would betray it: its longest, and all of ten words or more."""
    prose = "\n".join((problem.explanation, problem.model_answer))
    prose = re.sub(r"\]\(#[\w-]+\)", "]", prose)
    pieces = re.split(r"\$[^$]*\$|[.:;?!\n]|\*\*|\*|`|\d[\d.,]*", prose)
    runs = {words(piece) for piece in pieces}
    return {run for run in runs if len(run.split()) >= 10} | {max(runs, key=len)}


def test_even_answers_are_nowhere_on_the_site(site: Path):
    readable = (".html", ".js", ".txt", ".json", ".ipynb", ".md", ".xml")
    files = {
        path.relative_to(site).as_posix(): path.read_text(encoding="utf-8", errors="replace")
        for path in site.rglob("*")
        if path.is_file() and path.suffix in readable
    }
    assert "searchindex.js" in files and "_sources/answers/index.ipynb" in files
    said = {name: words(text) for name, text in files.items()}
    coded = {name: strokes(text) for name, text in files.items()}

    odd = [problem for problem in PROBLEMS.values() if problem.number % 2]
    even = [problem for problem in PROBLEMS.values() if problem.number % 2 == 0]
    public = words(" ".join([problem.statement for problem in PROBLEMS.values()] + [problem.explanation for problem in odd]))

    for problem in odd:  # the same search finds what is published
        assert all(sentence in said["answers/index.html"] for sentence in sentences(problem)), problem.name
        assert strokes(problem.solution) in coded["answers/index.html"], problem.name
    for problem in even:
        secrets = {sentence for sentence in sentences(problem) if sentence not in public}
        assert secrets, f"{problem.name}: nothing to look for"
        for name in files:
            found = [sentence for sentence in secrets if sentence in said[name]]
            assert not found, f"{name} gives away {problem.name}: {found[0]!r}"
            assert not problem.computed or strokes(problem.solution) not in coded[name], f"{name} holds the code of {problem.name}"
    rubrics = {words(line) for problem in PROBLEMS.values() for line in problem.rubric.splitlines()}
    for name in files:
        assert not [rubric for rubric in rubrics if rubric in said[name]], f"{name} holds a rubric"
        assert "answers/key/" not in name and "answers/key/" not in files["searchindex.js"]


def test_problems_and_answers_link_both_ways(site: Path):
    problems = (site / "chapters" / "12-problems.html").read_text(encoding="utf-8")
    answers = (site / "answers" / "index.html").read_text(encoding="utf-8")
    for number in NUMBERS:
        forth, back = f'href="../answers/index.html#answer-{number:02d}"', f'href="../chapters/12-problems.html#problem-{number:02d}"'
        assert f'id="problem-{number:02d}"' in problems
        assert (forth in problems) == (back in answers) == (f'id="answer-{number:02d}"' in answers) == bool(number % 2)
    for number in ("12-1", "12-2"):
        assert f'href="../chapters/12-is-that-score-real.html#try-it-{number}"' in answers


def test_answers_are_folded(site: Path, page: Page):
    page.goto((site / "answers" / "index.html").as_uri())
    steps, code = page.locator("details.answer"), page.locator("details.hide")
    computed = [problem for problem in PROBLEMS.values() if problem.number % 2 and problem.computed]
    assert (steps.count(), code.count()) == (13 + 2, len(computed) + 2)
    for boxes in (steps, code):
        assert boxes.evaluate_all("boxes => boxes.every(box => !box.open)")

    step = page.get_by_text("Take the root:")
    assert not step.is_visible()
    page.locator("details.answer", has=step).locator("summary").press("Enter")
    assert step.is_visible()
    cell = page.locator("section:has(> #answer-05) details.hide")
    cell.locator("summary").press("Enter")
    assert "0.1118" in cell.inner_text()
