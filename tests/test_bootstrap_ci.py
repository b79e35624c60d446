"""The bootstrap script: through the shell as a reader runs it, and as functions against independent references."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import yaml
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from notebooks import ROOT, printed_text, read_notebook

SCRIPT = ROOT / "lab" / "bootstrap_ci.py"
sys.path.insert(0, str(SCRIPT.parent))
import bootstrap_ci  # noqa: E402

ALPHA = 2 * stats.norm.sf(1.96)  # so that the references use the course's critical value
TESTS = Path(__file__).parent
LEDGER = yaml.safe_load((TESTS / "ledger.yml").read_text(encoding="utf-8"))["uncertainty"]
CELLS = {cell.id: cell for cell in read_notebook(ROOT / "chapters" / "uncertainty.ipynb").cells}
BLOCKS = {"The set": "set", "The mechanic": "mechanic", "The full bootstrap": "full-bootstrap", "Growing sets": "growing-sets"}


def run(*arguments: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments], cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=120
    )


def blocks(output: str) -> dict[str, str]:
    """Return the report's blocks by the part of their title before any colon."""
    parts = (block.split("\n", 1) for block in output.rstrip("\n").split("\n\n"))
    return {title.split(":")[0]: body for title, body in parts}


def number(block: str, name: str) -> float:
    return float(next(line for line in block.split("\n") if line.startswith(name + ": ")).split(": ")[1])


# The worked example


def test_output_is_the_recorded_bytes_from_any_folder(tmp_path: Path) -> None:
    recorded = (TESTS / "bootstrap_ci.txt").read_text(encoding="utf-8")
    first, second = run(), run(folder=tmp_path)
    assert (first.returncode, first.stderr) == (0, "")
    assert first.stdout == second.stdout == recorded


def test_output_equals_the_cells() -> None:
    printed = blocks(run().stdout)
    assert list(printed) == list(BLOCKS)
    for title, label in BLOCKS.items():
        assert printed[title] == printed_text(CELLS[label]).rstrip("\n"), title


def test_output_equals_the_ledger() -> None:
    printed = blocks(run().stdout)
    data, full = LEDGER["data"], LEDGER["full_bootstrap"]
    assert printed["The set"].split("\n") == [
        f"labels: {data['labels']}", f"right: {data['right']}", f"items: {data['items']}", f"accuracy: {data['accuracy']}",
    ]  # fmt: skip
    draws = []
    for place, draw in enumerate(LEDGER["draws"], start=1):
        draws += [f"draw {place} {draw['indices']}", f"right: {draw['right']} of {data['items']}", f"accuracy: {draw['accuracy']}"]
    assert printed["The mechanic"].split("\n") == draws
    assert printed["The full bootstrap"].split("\n") == [
        *(f"{name}: {full[name]}" for name in ("resamples", "mean", "low", "high", "width")), full["report"],
    ]  # fmt: skip
    rows = [" ".join(row).rstrip() for row in LEDGER["growing_sets"]]
    assert printed["Growing sets"].split("\n")[1:] == rows


def test_draw_one_repeats_as_the_ledger_says() -> None:
    indices = LEDGER["draws"][0]["indices"]
    for item, times in LEDGER["draw_1_repeats"].items():
        assert indices.count(item) == times
        assert f"item {item} was drawn {times} times" in printed_text(CELLS["repeats"])


# The functions


@pytest.mark.parametrize(("items", "resamples"), [(1, 1000), (7, 1003), (30, 2000), (999, 2500), (1_000_001, 3)])
def test_batches_draw_what_single_calls_draw(items: int, resamples: int) -> None:
    labels = numpy.random.default_rng(5).integers(0, 2, size=items)
    generator = numpy.random.default_rng(8)
    expected = [labels[generator.integers(0, items, size=items)].mean() for _ in range(resamples)]
    assert numpy.array_equal(bootstrap_ci.bootstrap_accuracies(labels, resamples, seed=8), expected)


@pytest.mark.parametrize("limit", [bootstrap_ci.INDEX_DRAWS_LIMIT, 0])
def test_both_ways_of_drawing_have_the_binomial_distribution(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap_ci, "INDEX_DRAWS_LIMIT", limit)
    labels = [1] * 21 + [0] * 9
    counts = numpy.bincount(numpy.rint(bootstrap_ci.bootstrap_accuracies(labels, 200_000) * 30).astype(int), minlength=31)
    expected = stats.binom.pmf(range(31), 30, 0.7) * 200_000
    common = expected >= 5
    observed = [*counts[common], counts[~common].sum()]
    assert stats.chisquare(observed, [*expected[common], expected[~common].sum()]).pvalue > 0.001


def test_percentile_interval_equals_the_exact_quantiles() -> None:
    replicates = bootstrap_ci.bootstrap_accuracies(bootstrap_ci.DEMO_LABELS)
    assert bootstrap_ci.percentile_interval(replicates) == pytest.approx(stats.binom.ppf([0.025, 0.975], 30, 0.7) / 30)


def test_wilson_equals_statsmodels() -> None:
    for items in (1, 2, 10, 30, 77, 1_000_000):
        for right in {0, 1, items // 3, items // 2, items - 1, items}:
            expected = proportion_confint(right, items, ALPHA, method="wilson")
            low, high = bootstrap_ci.wilson_interval(right, items)
            assert (low, high) == pytest.approx(expected, abs=1e-12)
            assert 0 <= low <= high <= 1


@pytest.mark.parametrize("bad", [[], [[0, 1]], [0, 2], [0.5], ["1"], [float("nan")], 1])
def test_unusable_labels_are_refused(bad: object) -> None:
    with pytest.raises(bootstrap_ci.DataError):
        bootstrap_ci.bootstrap_accuracies(bad)


def test_other_misuse_is_refused() -> None:
    for call in (
        lambda: bootstrap_ci.bootstrap_accuracies([1, 0], resamples=0),
        lambda: bootstrap_ci.bootstrap_accuracies([1, 0], seed=-1),
        lambda: bootstrap_ci.percentile_interval([]),
        lambda: bootstrap_ci.wilson_interval(3, 2),
        lambda: bootstrap_ci.wilson_interval(0, 0),
    ):
        with pytest.raises(ValueError):
            call()


# The reader's own file, accepted

THIRTY = list(bootstrap_ci.DEMO_LABELS)
LINES = "\n".join(map(str, THIRTY)) + "\n"
ACCEPTED = {
    # name: (bytes, options, right, items, a line the first block must hold)
    "one a line": (LINES.encode(), [], 21, 30, "items: 30"),
    "without a last line end": (LINES.rstrip().encode(), [], 21, 30, "items: 30"),
    "header": (b"correct\n" + LINES.encode(), [], 21, 30, "skipped: 1 header line"),
    "blank lines": (b"\n1\n\n0\n   \n1\n\n", [], 2, 3, "skipped: 4 blank lines"),
    "spaces around": (b" 1 \n0\t\n 1\n", [], 2, 3, "labels: [1, 0, 1]"),
    "true and false": (b"true\nFalse\nTRUE\n", [], 2, 3, "labels: [1, 0, 1]"),
    "decimals": (b"1.0\n0.0\n", [], 1, 2, "labels: [1, 0]"),
    "byte order mark": (b"\xef\xbb\xbf1\n0\n1\n", [], 2, 3, "labels: [1, 0, 1]"),
    "byte order mark and header": (b"\xef\xbb\xbfcorrect\n1\n0\n", [], 1, 2, 'column: "correct" (of 1)'),
    "CRLF": (LINES.replace("\n", "\r\n").encode(), [], 21, 30, "items: 30"),
    "CR only": (b"1\r0\r1\r", [], 2, 3, "labels: [1, 0, 1]"),
    "all right": (b"1\n" * 40, [], 40, 40, "accuracy: 1.0000"),
    "all wrong": (b"0\n" * 40, [], 0, 40, "accuracy: 0.0000"),
    "one item": (b"1\n", [], 1, 1, "labels: [1]"),
    "CSV, the only column of 0 and 1": (b"id,correct,note\n7,1,a\n8,0,b\n9,1,c\n", [], 2, 3, 'column: "correct" (of 3)'),
    "CSV, column by name": (b"a,b\n1,0\n1,1\n", ["--column", "b"], 1, 2, 'column: "b" (of 2)'),
    "CSV, column by number": (b"a,b\n1,0\n1,1\n", ["--column", "1"], 2, 2, 'column: "a" (of 2)'),
    "CSV without a header": (b"q1,1\nq2,0\n", [], 1, 2, "column: 2 (of 2)"),
    "CSV, semicolons": (b"id;correct\n4;1\n5;0\n", [], 1, 2, 'column: "correct" (of 2)'),
    "CSV, tabs": (b"id\tcorrect\n4\t1\n5\t0\n", [], 1, 2, 'column: "correct" (of 2)'),
    "CSV, quotes and a comma inside": (b'"answer, given","ok"\n"a, b","1"\n"c","0"\n', [], 1, 2, 'column: "ok" (of 2)'),
    "CSV, empty rows": (b"id,ok\n4,1\n,\n5,0\n,\n", [], 1, 2, "skipped: 1 header line, 2 blank lines"),
    "CSV, a letter beyond ASCII": ("id,richtig für\n4,1\n5,0\n".encode(), [], 1, 2, 'column: "richtig für" (of 2)'),
    "JSON": (json.dumps(THIRTY).encode(), [], 21, 30, "items: 30"),
    "JSON over lines": (json.dumps(THIRTY, indent=1).encode(), [], 21, 30, "items: 30"),
    "JSON booleans": (b"[true, false, true]", [], 2, 3, "labels: [1, 0, 1]"),
    "JSON strings": (b'["1", "0", "true"]', [], 2, 3, "labels: [1, 0, 1]"),
    "JSON decimals": (b"[1.0, 0.0]", [], 1, 2, "labels: [1, 0]"),
    "JSON with byte order mark": (b"\xef\xbb\xbf[1, 0]", [], 1, 2, "labels: [1, 0]"),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_own_file_is_reported(case: str, tmp_path: Path) -> None:
    content, options, right, items, line = ACCEPTED[case]
    (tmp_path / "scores").write_bytes(content)
    result = run("scores", *options, folder=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    printed = blocks(result.stdout)
    assert list(printed) == [*BLOCKS, "Wilson's interval, beside it"]
    first = printed["The set"].split("\n")
    assert first[0] == "file: scores" and line in first
    assert first[-3:] == [f"right: {right}", f"items: {items}", f"accuracy: {right / items:.4f}"]

    # The same interval as a plain loop gives, and Wilson's as statsmodels gives it.
    labels = [1] * right + [0] * (items - right) if right in (0, items) else None
    if labels is None and items == 30:
        labels = THIRTY
    if labels is not None:
        generator = numpy.random.default_rng(0)
        scores = [numpy.array(labels)[generator.integers(0, items, size=items)].mean() for _ in range(10_000)]
        low, high = numpy.percentile(scores, [2.5, 97.5])
        assert number(printed["The full bootstrap"], "low") == pytest.approx(low, abs=5.1e-5)
        assert number(printed["The full bootstrap"], "high") == pytest.approx(high, abs=5.1e-5)
    wilson = printed["Wilson's interval, beside it"]
    low, high = proportion_confint(right, items, ALPHA, method="wilson")
    assert number(wilson, "low") == pytest.approx(low, abs=5.1e-5)
    assert number(wilson, "high") == pytest.approx(high, abs=5.1e-5)

    # Every set here has fewer than ten of one kind.
    warning = "Do not publish the bootstrap interval" if right in (0, items) else "Too few to trust the bootstrap interval"
    assert warning in wilson


@pytest.mark.parametrize(("right", "wrong", "warned"), [(10, 10, False), (9, 11, True), (11, 9, True), (500, 500, False)])
def test_the_rule_of_ten(right: int, wrong: int, warned: bool, tmp_path: Path) -> None:
    (tmp_path / "scores.txt").write_text("1\n" * right + "0\n" * wrong)
    output = run("scores.txt", folder=tmp_path).stdout
    assert ("Too few to trust" in output) is warned
    assert "Do not publish" not in output
    if warned:
        scarce = f"{right} right answers" if right < wrong else f"{wrong} wrong answers"
        assert scarce in output


def test_own_file_prints_the_same_bytes_each_time_and_seed_and_resamples_count(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps(THIRTY))
    outputs = [
        run("s.json", *options, folder=tmp_path).stdout
        for options in ([], [], ["--seed", "0", "--resamples", "10000"], ["--seed", "1"], ["--resamples", "2000"])
    ]
    assert outputs[0] == outputs[1] == outputs[2]
    assert len(set(outputs)) == 3
    demo = blocks(run().stdout)
    assert {title: blocks(outputs[0])[title] for title in list(BLOCKS)[1:]} == {title: demo[title] for title in list(BLOCKS)[1:]}


@pytest.mark.skipif(os.name == "nt", reason="Windows does not report a child's memory and time this way")
def test_a_million_items_in_reasonable_memory(tmp_path: Path) -> None:
    labels = numpy.random.default_rng(3).random(1_000_000) < 0.75
    right = int(labels.sum())
    path = tmp_path / "million.txt"
    path.write_bytes(b"\n".join(b"1" if label else b"0" for label in labels))
    with open(tmp_path / "out", "wb") as out, open(tmp_path / "err", "wb") as err:
        process = subprocess.Popen([sys.executable, SCRIPT, path], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (tmp_path / "err").read_text()
    megabytes = usage.ru_maxrss / (1_000_000 if sys.platform == "darwin" else 1_000)
    assert megabytes < 600
    assert usage.ru_utime < 60  # drawing every index would take several minutes

    output = (tmp_path / "out").read_text()
    printed = blocks(output)
    assert f"right: {right}" in printed["The set"]
    assert "binomial distribution" in printed["The full bootstrap"]
    low, high = stats.binom.ppf([0.025, 0.975], 1_000_000, right / 1_000_000) / 1_000_000
    assert number(printed["The full bootstrap"], "low") == pytest.approx(low, abs=1e-4)
    assert number(printed["The full bootstrap"], "high") == pytest.approx(high, abs=1e-4)
    assert max(map(len, output.split("\n"))) < 400


def test_the_output_says_from_which_size_counts_are_drawn(tmp_path: Path) -> None:
    for items, where in ((600, None), (1_000, "Growing sets"), (10_001, "The full bootstrap")):
        (tmp_path / "s.txt").write_text("1\n0\n" * (items // 2) + "1\n" * (items % 2))
        printed = blocks(run("s.txt", folder=tmp_path).stdout)
        assert [title for title, body in printed.items() if "binomial" in body] == ([where] if where else [])


# The reader's own file, refused

REFUSED = {
    # name: (bytes, options, what the sentence must say)
    "a two": (b"1\n0\n2\n", [], 'scores, line 3: "2" is neither 0 (wrong) nor 1 (right).'),
    "a two first": (b"2\n0\n1\n", [], 'scores, line 1: "2" is neither'),
    "a word": (b"correct\n1\nyes\n", [], 'scores, line 3: "yes" is neither'),
    "a two after blank lines and CRLF": (b"1\r\n\r\n\r\n2\r\n", [], 'scores, line 4: "2"'),
    "half": (b"0.5\n", [], 'line 1: "0.5"'),
    "not a number": (b"nan\n1\n", [], 'line 1: "nan"'),
    "spaces between": (b"1 0 1 1\n1\n", [], 'line 1: "1 0 1 1" is neither'),
    "a slip in the first line": (b"1x\n0\n", [], 'line 1: "1x" is neither'),
    "all on one line": (b"1,0,1,1\n", [], "more than one column holds only 0 and 1 (1, 2, 3, 4)"),
    "empty": (b"", [], "scores holds no items. Put one 0 (wrong) or 1 (right) on each line."),
    "only blank lines": (b"\n\r\n  \n", [], "holds no items"),
    "only a byte order mark": (b"\xef\xbb\xbf", [], "holds no items"),
    "only a header": (b"correct\n", [], "holds a header and no items"),
    "binary": (bytes(range(256)), [], "is not text in UTF-8"),
    "zero bytes": (b"1\n\0\n", [], "is not text in UTF-8"),
    "UTF-16": ("1\n0\n".encode("utf-16"), [], "is not text in UTF-8"),
    "Latin-1": ("für\n1\n".encode("latin-1"), [], "is not text in UTF-8"),
    "CSV, a two in the named column": (b"id,ok\n4,1\n5,2\n", ["--column", "ok"], 'line 3: "2" is neither'),
    "CSV, an empty cell in the named column": (b"id,ok\n4,1\n5,\n", ["--column", "ok"], 'line 3: "" is neither'),
    "CSV, no column fits": (b"id,ok\n4,1\n5,2\n", [], 'no column holds only 0 and 1. First misfit in each: column "id", line 2: "4"; column "ok", line 3: "2"'),
    "CSV, two columns fit": (b"a,b\n1,0\n1,1\n", [], 'more than one column holds only 0 and 1 ("a", "b"). Choose with --column.'),
    "CSV, no such column": (b"a,b\n1,0\n", ["--column", "c"], 'has no column "c". Its columns: "a", "b".'),
    "CSV, no such number": (b"a,b\n1,0\n", ["--column", "3"], 'has no column "3"'),
    "CSV, the same name twice": (b"a,a\n1,0\n", ["--column", "a"], 'more than one column called "a"'),
    "CSV, a short line": (b"id,ok\n4,1\n5\n", [], "line 3: 1 field where the first line has 2"),
    "CSV, a long line": (b"id,ok\n4,1,1\n", [], "line 2: 3 fields where the first line has 2"),
    "CSV, a giant field": (b"ok\n" + b"1" * 200_000 + b"\n", [], "line 2: this is not a CSV table"),
    "a giant value": (b"1\n" + b"9" * 1000 + b"\n", [], 'line 2: "9999'),
    "control characters": (b"1\n\x1b[2J\n", [], "line 2: \"\\u001b[2J\" is neither"),
    "JSON word": (b'[1, "yes"]', [], 'scores, item 2: "yes" is neither 0 (wrong) nor 1 (right).'),
    "JSON two": (b"[1, 0, 2]", [], 'scores, item 3: "2" is neither'),
    "JSON null": (b"[null]", [], "item 1: null is neither"),
    "JSON nested": (b"[1, [0, 1]]", [], "item 2: a list stands where 0 or 1 is needed"),
    "JSON objects in a list": (b'[{"ok": 1}]', [], "item 1: an object stands where 0 or 1 is needed"),
    "JSON object": (b'{"ok": [1, 0]}', [], "holds JSON objects. One flat list is needed"),
    "JSON empty": (b"[]", [], "holds no items"),
    "JSON cut off": (b"[1,\n0,\n", [], "line 3: this is not valid JSON"),
    "JSON thousands deep": (b"[" * 100_000, [], "not a plain list of 0 and 1"),
    "JSON number of 5,000 digits": (b"[" + b"1" * 5000 + b"]", [], "not a plain list of 0 and 1"),
    "JSON infinite": (b"[1e999]", [], "item 1"),
    "JSON with a column": (b"[1, 0]", ["--column", "ok"], "Leave out --column"),
}


def assert_refused(result: subprocess.CompletedProcess[str], sentence: str) -> None:
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("bootstrap_ci.py: ") and result.stderr.count("\n") == 1
    assert sentence in result.stderr
    assert len(result.stderr) < 500


@pytest.mark.parametrize("case", REFUSED)
def test_unusable_file_is_refused_in_a_sentence(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the command's own function: forty starts of Python would take long. The shell is tried below."""
    content, options, sentence = REFUSED[case]
    (tmp_path / "scores").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    code = bootstrap_ci.main(["scores", *options])
    said = capsys.readouterr()
    assert_refused(subprocess.CompletedProcess([], code, said.out, said.err), sentence)


def test_missing_file_and_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    assert_refused(run("absent.csv", folder=tmp_path), "there is no file absent.csv")
    assert_refused(run("folder", folder=tmp_path), "folder is a folder")
    assert_refused(run("x" * 300, folder=tmp_path), "cannot be read")  # longer than a file's name may be


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--seed", "-1"], "'-1' is not a whole number"),
        (["--seed", "1.5"], "'1.5' is not a whole number"),
        (["--seed", "1" * 30], "is outside 0 to"),
        (["--resamples", "ten"], "'ten' is not a whole number"),
        (["--resamples", "10"], "10 is outside 1,000 to 10,000,000"),
        (["--column", "ok"], "--column needs a file"),
        (["--colour"], "unrecognized arguments"),
        (["a.csv", "b.csv"], "unrecognized arguments"),
    ],
)
def test_bad_arguments_are_refused(arguments: list[str], sentence: str) -> None:
    result = run(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert sentence in result.stderr and "Traceback" not in result.stderr


def test_help_names_every_option() -> None:
    result = run("--help")
    assert (result.returncode, result.stderr) == (0, "")
    for word in ("scores.csv", "--column", "--resamples", "--seed", "JSON", "Wilson"):
        assert word in result.stdout
