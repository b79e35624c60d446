"""The lab's data and the command that summarises the course's own run, through the shell."""

import csv
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import yaml
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

ROOT = Path(__file__).resolve().parent.parent
LAB = ROOT / "lab"
SCRIPT = LAB / "we6_eval.py"
COMMITTED = LAB / "out" / "we6_eval.json"
RUN_ONE = LAB / "berkeley" / "scores_20260427_194044.csv"
RUN_TWO = LAB / "berkeley" / "scores_20260427_195142.csv"
LEDGER = yaml.safe_load((ROOT / "tests" / "ledger.yml").read_text())["chapter_12"]
LEDGER_CELLS = {cell["id"]: cell for cell in LEDGER["cells"]}


def run(*arguments, **options):
    """Run the command as a user does; return the finished process, with its text."""
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


@pytest.fixture
def evaluate(tmp_path):
    """Write a list of results as a CSV file, run the command on it, return the JSON's value."""
    def evaluate(results):
        source, output = tmp_path / "mine.csv", tmp_path / "mine.json"
        lines = [f"{question},{right}\n" for question, right in enumerate(results, 1)]
        source.write_text("question,right\n" + "".join(lines))
        finished = run(source, "--output", output)
        assert (finished.returncode, finished.stderr) == (0, "")
        return json.loads(output.read_text())
    return evaluate


@pytest.fixture(scope="module")
def summary():
    return json.loads(COMMITTED.read_text())


# --- The command -------------------------------------------------------------------------------------


def test_help_shows_an_example():
    finished = run("--help")
    assert finished.returncode == 0
    assert "Example: python we6_eval.py my_results.csv --output my_eval.json" in " ".join(finished.stdout.split())


def test_a_second_run_gives_the_committed_bytes(tmp_path):
    output = tmp_path / "again.json"
    finished = run("--output", output, cwd=tmp_path)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert output.read_bytes() == COMMITTED.read_bytes()
    assert "5 of 20 right, 25.0 percent" in finished.stdout and str(output) in finished.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["again.json"]


def test_the_default_output_is_the_committed_file(tmp_path):
    copy = tmp_path / "lab"
    (copy / "out").mkdir(parents=True)
    for name in ("we6_eval.py", "we6_results.csv", "we6_results.toml"):
        (copy / name).write_bytes((LAB / name).read_bytes())
    subprocess.run([sys.executable, copy / "we6_eval.py"], check=True, capture_output=True, cwd=tmp_path)
    assert (copy / "out" / "we6_eval.json").read_bytes() == COMMITTED.read_bytes()


def test_own_results_are_not_credited_to_the_course_run(evaluate):
    mine = evaluate([1, 0, 1])
    assert [mine[key] for key in ("model", "test", "procedure", "when_where")] == [None] * 4
    assert mine["source"] == "mine.csv"


def test_own_description_is_copied(tmp_path, evaluate):
    (tmp_path / "mine.toml").write_text('model = "café-1b"\n', encoding="utf-8")
    mine = evaluate([1, 0, 1])
    assert (mine["model"], mine["test"]) == ("café-1b", None)


@pytest.mark.parametrize("content", [
    b"\xef\xbb\xbfquestion,right\n1,1\n2,0\n",
    b"question,right\r\n1,1\r\n2,0\r\n",
    b"question,right\n1,1\n2,0\n\n\r\n  \n\n",
    b"question,right\n1,1\n2,0",
    b"question, right\n1, 1\n2, 0\n",
    b'"question","right"\n"1","1"\n"2","0"\n',
], ids=["byte order mark", "Windows line ends", "blank lines at the end", "no last line end", "spaces", "quotation marks"])
def test_harmless_variations_are_accepted(tmp_path, content):
    source, output = tmp_path / "mine.csv", tmp_path / "mine.json"
    source.write_bytes(content)
    finished = run(source, "--output", output)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert json.loads(output.read_text())["results"] == [1, 0]


# --- Refusals ----------------------------------------------------------------------------------------

BAD_INPUTS = {
    "empty": (b"", 1, "the file is empty; begin it with the header"),
    "only blank lines": (b"\n\n \n", 1, "the file is empty; begin it with the header"),
    "header only": (b"question,right\n", 2, "no results below the header; add one line per question"),
    "wrong header": (b"number,score\n1,1\n", 1, "the header is wrong (found number,score); make the first line"),
    "no header": (b"1,1\n2,0\n", 1, "the header is wrong (found 1,1); make the first line question,right"),
    "semicolons": (b"question;right\n1;1\n", 1, "the header is wrong (found question;right); make"),
    "columns swapped": (b"right,question\n1,1\n", 1, "the header is wrong (found right,question); make"),
    "third column": (b"question,right,topic\n1,1,x\n", 1, "the header is wrong (found question,right,topic); make"),
    "blank line first": (b"\nquestion,right\n1,1\n", 1, "the header is wrong (found a blank line); make"),
    "column missing": (b"question\n1\n", 1, "the column right is missing (found question); make the first line"),
    "question column missing": (b"number,right\n1,1\n", 1, "the column question is missing (found number,right); make"),
    "two": (b"question,right\n1,1\n2,2\n", 3, 'right is "2" but must be 0 or 1; write 1 for'),
    "half": (b"question,right\n1,0.5\n", 2, 'right is "0.5" but must be 0 or 1; write 1 for'),
    "word": (b"question,right\n1,yes\n", 2, 'right is "yes" but must be 0 or 1; write 1 for'),
    "nothing": (b"question,right\n1,\n2,1\n", 2, 'right is "" but must be 0 or 1; write 1 for'),
    "minus": (b"question,right\n1,-1\n", 2, 'right is "-1" but must be 0 or 1; write 1 for'),
    "one value": (b"question,right\n1,1\n2\n", 3, "1 value(s) found where 2 belong; write"),
    "three values": (b"question,right\n1,1,1\n", 2, "3 value(s) found where 2 belong; write"),
    "blank line inside": (b"question,right\n1,1\n\n2,0\n", 3, "there is a blank line between the results; delete it"),
    "duplicated": (b"question,right\n1,1\n2,0\n2,0\n", 4, 'question "2" appears twice, since question 3 belongs here; number'),
    "missing": (b"question,right\n1,1\n3,0\n", 3, 'question "3" is out of order or follows a missing one, since question 2'),
    "out of order": (b"question,right\n2,1\n1,0\n", 2, 'question "2" is out of order or follows a missing one, since question 1'),
    "from zero": (b"question,right\n0,1\n1,0\n", 2, 'question "0" is out of order'),
    "not a number": (b"question,right\none,1\n", 2, 'question "one" is out of order'),
    "UTF-16": ("question,right\n1,1\n".encode("utf-16"), 1, "this is not UTF-8 text; save the file again as UTF-8"),
    "Latin-1": ("question,right\n1,1\n2,é\n".encode("latin-1"), 3, "this is not UTF-8 text; save the file again"),
    "open quotation": (b'question,right\n1,"1\n', 2, "this is not valid CSV"),
}


def assert_refused(finished, *parts):
    """Check exit code 2, silence on standard output, and one sentence on standard error with these parts."""
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr.count("\n") == 1 and finished.stderr.endswith(".\n")
    for part in parts:
        assert part in finished.stderr


@pytest.mark.parametrize("content, line, says", BAD_INPUTS.values(), ids=BAD_INPUTS.keys())
def test_bad_input_is_refused(tmp_path, content, line, says):
    source, output = tmp_path / "bad.csv", tmp_path / "bad.json"
    source.write_bytes(content)
    assert_refused(run(source, "--output", output), f"{source}, line {line}: ", says)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.csv"]


def test_missing_input_is_refused(tmp_path):
    assert_refused(run(tmp_path / "none.csv", "--output", tmp_path / "a.json"),
                   f"{tmp_path / 'none.csv'}: there is no such file; check")


@pytest.mark.parametrize("folder", [".", "", ".."])
def test_a_folder_as_input_is_refused(tmp_path, folder):
    assert_refused(run(folder, "--output", tmp_path / "a.json", cwd=tmp_path), "this is a folder; name a file inside it")


def test_a_file_as_input_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    assert_refused(run(tmp_path / "file" / "a.csv", "--output", tmp_path / "a.json"), "the file cannot be read (Not a directory)")


@pytest.mark.parametrize("content, says", [
    ("model = ", "this is not valid TOML"),
    ("modell = 'x'", 'the key "modell" is unknown; use only model, test, procedure, when_where'),
    ("model = 3", "the value of model is not text; put it between quotation marks"),
])
def test_a_bad_description_is_refused(tmp_path, content, says):
    (tmp_path / "mine.csv").write_text("question,right\n1,1\n")
    (tmp_path / "mine.toml").write_text(content)
    assert_refused(run(tmp_path / "mine.csv", "--output", tmp_path / "a.json"), f"{tmp_path / 'mine.toml'}: {says}")
    assert not (tmp_path / "a.json").exists()


def test_an_unknown_option_is_refused():
    finished = run("--resamples", "5")
    assert finished.returncode == 2 and "unrecognized arguments" in finished.stderr


def test_an_output_that_is_a_folder_is_refused(tmp_path):
    assert_refused(run("--output", tmp_path), f"{tmp_path}: the output is a folder; add a file name")


def test_an_output_in_no_folder_is_refused(tmp_path):
    output = tmp_path / "none" / "a.json"
    assert_refused(run("--output", output), f"{output}: the output's folder {output.parent} does not exist; make it first")


def test_an_output_that_is_a_device_is_refused():
    assert_refused(run("--output", "/dev/null"), "/dev/null: the output is not an ordinary file; name one with --output")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("name", ["mine.csv", "mine.toml"])
def test_an_output_that_would_replace_an_input_is_refused(tmp_path, name):
    (tmp_path / "mine.csv").write_text("question,right\n1,1\n")
    (tmp_path / "mine.toml").write_text("model = 'm'\n")
    before = (tmp_path / name).read_text()
    assert_refused(run(tmp_path / "mine.csv", "--output", tmp_path / name), "the output would replace an input; name another file")
    assert (tmp_path / name).read_text() == before


def test_an_unwritable_folder_is_refused(tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o555)
    if os.access(folder, os.W_OK):  # the administrator may write anywhere, except in /proc
        folder = Path("/proc")
    assert_refused(run("--output", folder / "we6.json"), f"{folder / 'we6.json'}: the output cannot be written (", "with --output")


@pytest.mark.parametrize("earlier", [None, "earlier\n"])
def test_a_write_that_fails_midway_leaves_nothing_half_written(tmp_path, earlier):
    output = tmp_path / "a.json"
    if earlier:
        output.write_text(earlier)

    def allow_one_kilobyte():
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    assert_refused(run("--output", output, preexec_fn=allow_one_kilobyte), "the output cannot be written (File too large); free some room")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == ({"a.json": earlier} if earlier else {})


def test_an_output_that_is_a_link_stays_one(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    assert run("--output", link).returncode == 0
    assert link.is_symlink() and target.read_bytes() == COMMITTED.read_bytes()


# --- The values, against independent references --------------------------------------------------------


def test_results_are_those_of_the_ledger(summary):
    data = LEDGER["data"]
    assert summary["results"] == data["results_in_order"]
    assert summary["model"] == data["model"]
    assert summary["when_where"] == data["when_where"]
    assert summary["counts"] == {"questions": 20, "right": 5, "wrong": 15}
    assert summary["accuracy"] == 0.25
    assert [half["right"] for half in summary["halves"]] == [2, 3]
    assert [half["accuracy"] for half in summary["halves"]] == [0.2, 0.3]
    assert {key: summary["bootstrap"][key] for key in data["bootstrap"]} == data["bootstrap"]


def assert_intervals_agree(summary):
    """Compare standard error and intervals with scipy and statsmodels, at the critical value 1.96."""
    questions, right = summary["counts"]["questions"], summary["counts"]["right"]
    alpha = 2 * stats.norm.sf(1.96)
    close = dict(rel=1e-12, abs=1e-12)
    results = numpy.array(summary["results"])
    assert summary["standard_error"] == pytest.approx(stats.sem(results, ddof=0), **close)
    references = {
        "wald": _normal(right, questions, alpha),
        "wilson": proportion_confint(right, questions, alpha, method="wilson"),
        "plus_four": _normal(right + 2, questions + 4, alpha),
    }
    for name, reference in references.items():
        interval = summary["intervals"][name]
        assert (interval["low"], interval["high"]) == pytest.approx(reference, **close), name
        assert (interval["level"], interval["z"]) == (0.95, 1.96)


def _normal(right, questions, alpha):
    """The normal interval without the clipping to 0 and 1 that statsmodels applies."""
    share = right / questions
    return stats.norm.interval(1 - alpha, loc=share, scale=stats.binom.std(questions, share) / questions)


def test_intervals_agree_with_scipy_and_statsmodels(summary):
    assert_intervals_agree(summary)
    wald = summary["intervals"]["wald"]
    reference = proportion_confint(5, 20, 2 * stats.norm.sf(1.96), method="normal")
    assert (wald["low"], wald["high"]) == pytest.approx(reference, rel=1e-12)


@pytest.mark.parametrize("right, questions", [(0, 1), (1, 1), (0, 20), (20, 20), (8, 10), (7, 13)])
def test_intervals_agree_for_other_counts(evaluate, right, questions):
    mine = evaluate([1] * right + [0] * (questions - right))
    if 0 < right < questions:
        assert_intervals_agree(mine)
    else:
        assert mine["standard_error"] == 0
        assert mine["intervals"]["wald"]["low"] == mine["intervals"]["wald"]["high"] == mine["accuracy"]
        alpha = 2 * stats.norm.sf(1.96)
        wilson = mine["intervals"]["wilson"]
        assert (wilson["low"], wilson["high"]) == pytest.approx(proportion_confint(right, questions, alpha, method="wilson"), abs=1e-12)
    assert 0 <= mine["intervals"]["wilson"]["low"] <= mine["intervals"]["wilson"]["high"] <= 1
    assert sum(half["questions"] for half in mine["halves"]) == (questions if questions > 1 else 0)
    assert sum(score["resamples"] for score in mine["bootstrap"]["distinct_scores"]) == 10000


def test_bootstrap_is_the_chapters_loop(summary):
    results = numpy.array(LEDGER["data"]["results_in_order"], dtype=float)
    random_generator = numpy.random.default_rng(20260912)
    scores = []
    for _ in range(10000):
        scores.append(random_generator.choice(results, size=20, replace=True).mean())
    scores = numpy.array(scores)

    bootstrap = summary["bootstrap"]
    assert bootstrap["mean"] == pytest.approx(scores.mean(), rel=1e-12)
    assert bootstrap["standard_error"] == pytest.approx(scores.std(), rel=1e-12)
    interval = bootstrap["percentile_interval"]
    ends = numpy.percentile(scores, [2.5, 97.5], method="inverted_cdf")
    assert [interval["low"], interval["high"]] == list(ends)
    assert [interval["low_rank"], interval["high_rank"]] == [math.ceil(0.025 * 10000), math.ceil(0.975 * 10000)]
    values, counts = numpy.unique(scores, return_counts=True)
    assert [score["score"] for score in bootstrap["distinct_scores"]] == list(values)
    assert [score["resamples"] for score in bootstrap["distinct_scores"]] == list(counts)
    assert bootstrap["missed"] == {"resamples": 7986, "share": 0.7986}
    assert numpy.count_nonzero(scores != 0.25) == 7986


def test_bootstrap_table_is_the_ledgers(summary):
    table = LEDGER_CELLS["distinct-scores"]["table"]
    found = [[str(round(100 * score["score"], 1)), str(score["resamples"])] for score in summary["bootstrap"]["distinct_scores"]]
    assert found == [[percent, count] for percent, count, _ in table]


def test_bootstrap_is_near_the_exact_binomial(summary):
    # Resampling n results is drawing from a binomial distribution: a chi-squared test that a wrong draw fails.
    bootstrap = summary["bootstrap"]
    observed = numpy.zeros(21)
    for score in bootstrap["distinct_scores"]:
        observed[round(20 * score["score"])] = score["resamples"]
    expected = 10000 * stats.binom.pmf(numpy.arange(21), 20, 0.25)
    observed = numpy.append(observed[:12], observed[12:].sum())
    expected = numpy.append(expected[:12], expected[12:].sum())
    assert stats.chisquare(observed, expected).pvalue > 0.001
    assert bootstrap["missed"]["share"] == pytest.approx(1 - stats.binom.pmf(5, 20, 0.25), abs=0.01)


# --- The Berkeley runs -------------------------------------------------------------------------------


def read_rows(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def row_pairs():
    """The 58 rows of both runs, matched by position, as pairs of dictionaries."""
    pairs = list(zip(read_rows(RUN_ONE), read_rows(RUN_TWO), strict=True))
    for one, two in pairs:
        for column in ("model", "question_id", "type", "topic", "max_points", "correct_answer"):
            assert one[column] == two[column]
    return pairs


def test_berkeley_totals():
    for path, totals in [(RUN_ONE, {"Qwen-2.5-7B": 32.00, "Llama-3.2-3B": 27.83}), (RUN_TWO, {"Qwen-2.5-7B": 33.83, "Llama-3.2-3B": 27.83})]:
        rows = read_rows(path)
        for model, total in totals.items():
            own = [row for row in rows if row["model"] == model]
            assert len(own) == 29
            assert sum(float(row["points_earned"]) for row in own) == pytest.approx(total, abs=1e-9)
            assert sum(float(row["max_points"]) for row in own) == 47


def test_berkeley_points_changed_in_the_ledgers_rows(row_pairs):
    assert len(row_pairs) == 58
    changed = [[one["model"], one["question_id"], one["points_earned"], two["points_earned"], one["max_points"]]
               for one, two in row_pairs if one["points_earned"] != two["points_earned"]]
    assert changed == LEDGER["changed_rows"]


def test_berkeley_answers_changed_in_nine_rows_and_latency_in_all(row_pairs):
    letters = [one["question_id"] for one, two in row_pairs if one["answer"] != two["answer"]]
    wordings = [one["question_id"] for one, two in row_pairs if one["wording"] != two["wording"]]
    assert (len(letters), len(wordings)) == (1, 8)
    assert all(one["latency_s"] != two["latency_s"] for one, two in row_pairs)


def test_berkeley_multiple_choice_is_marked_by_the_letter(row_pairs):
    right = {("Llama-3.2-3B", 0): 0, ("Llama-3.2-3B", 1): 0, ("Qwen-2.5-7B", 0): 0, ("Qwen-2.5-7B", 1): 0}
    for pair in row_pairs:
        for number, row in enumerate(pair):
            if row["type"] == "mcq":
                full_marks = row["points_earned"] == row["max_points"]
                assert full_marks == (row["answer"] == row["correct_answer"])
                right[row["model"], number] += full_marks
    assert list(right.values()) == [13, 13, 15, 16]


# --- The README --------------------------------------------------------------------------------------


def keys_of(value):
    """Every key anywhere inside a JSON value."""
    if isinstance(value, dict):
        return set(value).union(*map(keys_of, value.values()))
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    return set()


def test_every_column_and_key_is_documented(summary):
    readme = (LAB / "README.md").read_text()
    names = keys_of(summary)
    for path in [LAB / "we6_results.csv", RUN_ONE, RUN_TWO]:
        names |= set(path.read_text().splitlines()[0].split(","))
    assert names >= {"wording", "low_rank", "question"}
    assert [name for name in sorted(names) if f"| `{name}`" not in readme and f", `{name}`" not in readme] == []


def test_every_file_is_documented():
    readme = (LAB / "README.md").read_text()
    files = [path for path in LAB.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    names = {str(path.relative_to(LAB)) for path in files} - {"README.md"}
    assert "out/we6_eval.json" in names
    assert [name for name in sorted(names) if f"`{name}`" not in readme] == []


def test_the_licence_of_the_berkeley_files_is_there():
    licence = (LAB / "berkeley" / "LICENSE").read_text()
    assert "Copyright (c) 2026, UC Berkeley Data Science Modules" in licence
    assert "Redistributions in binary form must reproduce the above copyright notice" in licence
