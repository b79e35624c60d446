"""The chapter "Which interval?": its printed numbers against references that share no code with its cells."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import time
from collections.abc import Iterator
from fractions import Fraction
from math import comb
from pathlib import Path

import matplotlib
import numpy
import pytest
from matplotlib import pyplot
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from notebooks import ROOT, cells_from_source, printed_text, read_notebook

PAGE = ROOT / "chapters" / "which-interval.md"
CELLS = {cell.id: cell for cell in read_notebook(PAGE.with_suffix(".ipynb")).cells}
ALPHA = 2 * stats.norm.sf(1.96)  # so that the references use the course's critical value
SIZES = (10, 20, 30, 100)
KEYS = {
    "Wald": "wald", "Wilson": "wilson", "plus four": "plus_four", "Clopper-Pearson": "clopper_pearson",
    "Jeffreys": "jeffreys", "percentile bootstrap": "percentile_bootstrap",
}  # fmt: skip
COARSE = numpy.arange(1, 100) / 100
FINE = numpy.arange(100, 9901) / 10000


def exact_quantile(share: Fraction, n: int, right: int) -> int:
    """Return the least k with P(X <= k) >= share for X binomial(n, right / n), in whole-number arithmetic."""
    total = 0  # of n ** n
    for k in range(n + 1):
        total += comb(n, k) * right**k * (n - right) ** (n - k)
        if total >= share * n**n:
            return k
    raise AssertionError("the chances do not add up to 1")


def reference_interval(method: str, n: int, right: int) -> tuple[float, float]:
    if method == "percentile bootstrap":
        return exact_quantile(Fraction(1, 40), n, right) / n, exact_quantile(Fraction(39, 40), n, right) / n
    if method == "plus four":
        return proportion_confint(right + 2, n + 4, ALPHA, method="normal")[:2]
    if method == "Wald":
        # statsmodels clips to 0..1; the true accuracies lie inside, so that changes no coverage.
        return proportion_confint(right, n, ALPHA, method="normal")
    name = {"Wilson": "wilson", "Clopper-Pearson": "beta", "Jeffreys": "jeffreys"}[method]
    low, high = proportion_confint(right, n, ALPHA if name == "wilson" else 0.05, method=name)
    return (0.0 if right == 0 else low), (1.0 if right == n else high)


def reference_coverage(method: str, n: int, truths: numpy.ndarray) -> numpy.ndarray:
    caught = numpy.zeros(len(truths))
    for right in range(n + 1):
        low, high = reference_interval(method, n, right)
        holds = (truths >= low - 1e-9) & (truths <= high + 1e-9)
        caught += numpy.where(holds, stats.binom.pmf(right, n, truths), 0)
    return caught


def rows(label: str) -> dict[tuple[int, str], list[str]]:
    """Return the numbers a cell printed, by size and method."""
    found = {}
    for line in printed_text(CELLS[label]).split("\n"):
        for method in KEYS:
            if f" {method} " in line:
                size, values = line.split(method)
                found[int(size), method] = values.split()
    return found


@pytest.fixture(scope="module")
def page() -> Iterator[dict[str, object]]:
    """The page's cells, run once in one namespace, with the seconds each took and the figures left open."""
    matplotlib.use("Agg")
    names: dict[str, object] = {}
    seconds: dict[str, float] = {}
    figures: dict[str, object] = {}
    here = os.getcwd()
    os.chdir(PAGE.parent)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            for cell in cells_from_source(PAGE).cells:
                if cell.cell_type == "code":
                    began = time.process_time()
                    exec(cell.source, names)
                    seconds[cell.id] = time.process_time() - began
                    if cell.id.startswith("figure-"):
                        figures[cell.id] = pyplot.gcf()
        yield {"names": names, "seconds": seconds, "figures": figures}
    finally:
        os.chdir(here)
        pyplot.close("all")
        matplotlib.rcdefaults()


@pytest.mark.parametrize("method", KEYS)
@pytest.mark.parametrize("n", SIZES)
def test_coverage_equals_an_independent_enumeration(n: int, method: str) -> None:
    expected = reference_coverage(method, n, COARSE)
    assert rows("coverage")[n, method] == [f"{expected.mean():.3f}", f"{expected.min():.3f}"]


@pytest.mark.parametrize("method", KEYS)
@pytest.mark.parametrize("n", (20, 100))
def test_fine_coverage_equals_an_independent_enumeration(n: int, method: str) -> None:
    expected = reference_coverage(method, n, FINE)
    enough = expected[(FINE * n > 9.9999) & ((1 - FINE) * n > 9.9999)]
    assert rows("fine-grid")[n, method] == [f"{value:.3f}" for value in (expected.mean(), expected.min(), enough.min())]


def test_coverage_equals_the_recorded_facts() -> None:
    with open(Path(__file__).parent / "coverage.csv", encoding="utf-8", newline="") as table:
        facts = {(int(row["n"]), row["method"]): row for row in csv.DictReader(table)}
    for label, mean, worst, sizes in (("coverage", "mean_grid01", "min_grid01", SIZES), ("fine-grid", "mean_fine", "min_fine", (20, 100))):
        for n in sizes:
            for method, key in KEYS.items():
                printed = rows(label)[n, method]
                # The facts have four decimals, one more than the page: half a unit of each is the most that may differ.
                # (They use the unrounded 1.959964; no printed digit depends on that beyond this tolerance.)
                assert float(printed[0]) == pytest.approx(float(facts[n, key][mean]), abs=0.00056), (label, n, method)
                assert float(printed[1]) == pytest.approx(float(facts[n, key][worst]), abs=0.00056), (label, n, method)


def test_mean_coverage_for_twenty_questions() -> None:
    means = {method: rows("coverage")[20, method][0] for method in KEYS}
    assert means == {
        "Wald": "0.853", "Wilson": "0.954", "plus four": "0.963", "Clopper-Pearson": "0.976", "Jeffreys": "0.949",
        "percentile bootstrap": "0.860",
    }  # fmt: skip


def test_the_table_in_the_text_is_the_cells() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for method in KEYS:
        cells = [value for n in SIZES for value in rows("coverage")[n, method]]
        assert f"| {method} | " + " | ".join(cells) + " |" in text


def test_enumeration_takes_less_than_ten_seconds(page: dict) -> None:
    assert page["seconds"]["coverage"] < 10


@pytest.mark.parametrize("method", KEYS)
def test_every_interval_equals_the_reference(method: str, page: dict) -> None:
    lows, highs = page["names"]["lows"], page["names"]["highs"]
    for n in SIZES:
        for right in range(n + 1):
            low, high = reference_interval(method, n, right)
            if method in ("Wald", "plus four"):  # statsmodels clips these to 0..1
                assert max(0, lows[n, method][right]) == pytest.approx(low, abs=1e-9)
                assert min(1, highs[n, method][right]) == pytest.approx(high, abs=1e-9)
            else:
                assert (lows[n, method][right], highs[n, method][right]) == pytest.approx((low, high), abs=1e-9)


def test_clopper_pearson_is_what_the_text_says(page: dict) -> None:
    """Its ends leave 2.5 percent in each tail, and its coverage is never under 0.95 for any p, ends included."""
    lows, highs = page["names"]["lows"], page["names"]["highs"]
    for n in SIZES:
        for right in range(1, n + 1):
            low, high = lows[n, "Clopper-Pearson"][right], highs[n, "Clopper-Pearson"][n - right]
            assert stats.binom.sf(right - 1, n, low) == pytest.approx(0.025)
            assert stats.binom.cdf(n - right, n, high) == pytest.approx(0.025)
        ends = numpy.array([*lows[n, "Clopper-Pearson"][1:], *highs[n, "Clopper-Pearson"][:-1]])
        truths = numpy.sort(numpy.concatenate([ends - 1e-7, ends + 1e-7, numpy.linspace(1e-5, 1 - 1e-5, 5000)]))
        assert reference_coverage("Clopper-Pearson", n, truths[(truths > 0) & (truths < 1)]).min() >= 0.95


def test_wilson_just_beyond_the_grid() -> None:
    lines = printed_text(CELLS["wilson-edge"]).strip().split("\n")
    for n, line in zip(SIZES, lines, strict=True):
        low = proportion_confint(1, n, ALPHA, method="wilson")[0]
        coverage = reference_coverage("Wilson", n, numpy.array([low - 1e-8]))[0]
        assert line == f"{n} questions: p just under {low:.4f} coverage {coverage:.3f}"
        assert reference_coverage("Wilson", n, numpy.linspace(1e-5, 0.5, 50_000)).min() > coverage - 1e-6  # the worst of all


def test_copies() -> None:
    lines = printed_text(CELLS["tiling"]).strip().split("\n")
    for copies, line in zip((1, 4, 16), lines, strict=True):
        rights = numpy.arange(21)
        low, high = proportion_confint(rights * copies, 20 * copies, ALPHA, method="normal")
        caught = stats.binom.pmf(rights, 20, 0.25)[(low <= 0.25) & (0.25 <= high)].sum()
        assert line == f"copies: {copies} coverage: {caught:.3f}"


def test_hundred_tests_and_their_chart(page: dict) -> None:
    rights = (numpy.random.default_rng(0).random((100, 20)) < 0.9).sum(axis=1)
    missed = {}
    for name, method in (("Wald", "normal"), ("Wilson", "wilson")):
        low, high = proportion_confint(rights, 20, ALPHA, method=method)
        missed[name] = [place for place in range(100) if not low[place] <= 0.9 <= high[place]]
    assert printed_text(CELLS["hundred-tests"]) == (
        f"Wald missed {len(missed['Wald'])} of 100\nWilson missed {len(missed['Wilson'])} of 100\n"
        f"perfect scores: {(rights == 20).sum()}\n"
    )
    for name, axes in zip(missed, page["figures"]["figure-hundred-intervals"].axes, strict=True):
        crosses = [int(line.get_xdata()[0]) for line in axes.lines if line.get_marker() == "x"]
        dots = [line for line in axes.lines if line.get_marker() == "o"]
        assert crosses == missed[name]
        assert len(crosses) + len(dots) == 100
        assert axes.get_title(loc="left") == f"{name}: {len(crosses)} of 100 miss"


def test_coverage_chart_draws_the_exact_curves(page: dict) -> None:
    for method, axes in zip(KEYS, page["figures"]["figure-coverage"].axes, strict=True):
        assert axes.get_title(loc="left") == method
        assert axes.lines[0].get_xdata() == pytest.approx(FINE)
        assert axes.lines[0].get_ydata() == pytest.approx(reference_coverage(method, 20, FINE), abs=1e-9)


def test_razor_edge() -> None:
    """Count resamples with at most one right answer instead of taking percentiles of accuracies."""
    is_right = numpy.zeros(20, dtype=bool)
    is_right[[7, 9, 11, 14, 16]] = True

    def at_most_one(seed: int) -> int:
        indices = numpy.random.default_rng(seed).integers(0, 20, size=(10_000, 20))
        return int((is_right[indices].sum(axis=1) <= 1).sum())

    assert at_most_one(20260912) == 256
    counts = [at_most_one(seed) for seed in range(400)]
    five, between = sum(count > 250 for count in counts), counts.count(250)
    assert (400 - five - between, five, between) == (248, 141, 11)
    exact = sum(comb(20, right) * Fraction(1, 4) ** right * Fraction(3, 4) ** (20 - right) for right in (0, 1))
    assert printed_text(CELLS["razor-edge"]) == (
        "at 5 percent or less: 256\nlow end: 0.0500\nlow end 10 percent: 248 seeds\nlow end 5 percent: 141 seeds\n"
        f"between: 11 seeds, each 0.09875\nexact chance of 5 percent or less: {float(exact):.5f}\n"
    )
