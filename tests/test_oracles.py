"""Chapter 12's printed numbers, computed again by independent routes: scipy, statsmodels, exact fractions, enumeration.

Nothing here uses the chapter's own code. Each test reads what a cell prints and compares it with a reference that is rounded
in the same way.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from fractions import Fraction
from math import comb, isclose

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint, samplesize_confint_proportion

from notebooks import ROOT, printed_text, read_notebook

CHAPTER = read_notebook(ROOT / "chapters" / "12-is-that-score-real.ipynb")
RESULTS = [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0]
ALPHA_OF_196 = 2 * stats.norm.sf(1.96)  # the level that belongs to the book's rounded critical value
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def cell_text(label: str) -> str:
    return next(printed_text(cell) for cell in CHAPTER.cells if cell.id == label)


def numbers(label: str) -> list[float]:
    return [float(number) for number in NUMBER.findall(cell_text(label).replace(",", ""))]


def prints(label: str, *values: float) -> None:
    """Assert that a cell prints these values, in this order, other numbers between them allowed."""
    found = iter(numbers(label))
    for value in values:
        assert any(isclose(number, value, abs_tol=1e-9) for number in found), (
            f"cell {label} does not print {value} in its place; it prints {cell_text(label)!r}"
        )


def test_the_lab_file_is_the_typed_array():
    evaluation = json.loads((ROOT / "lab" / "out" / "we6_eval.json").read_text(encoding="utf-8"))
    assert evaluation["results"] == RESULTS
    with (ROOT / "lab" / "we6_results.csv").open(encoding="utf-8") as file:
        assert [int(row["right"]) for row in csv.DictReader(file)] == RESULTS
    source = next(cell.source for cell in CHAPTER.cells if cell.id == "results")
    typed = re.search(r"\[([\d\s.,]+)\]", source).group(1)
    assert [float(value) for value in typed.replace("\n", " ").split(",") if value.strip()] == RESULTS


def test_results_and_halves():
    prints("results", 20, sum(RESULTS), 100 * float(Fraction(sum(RESULTS), len(RESULTS))))
    first, second = sum(RESULTS[:10]), sum(RESULTS[10:])
    prints("halves", first, 10 * first, second, 10 * second, 10 * (second - first))


def test_standard_error():
    variance = float(stats.bernoulli(0.25).var())
    reference = stats.binom(20, 0.25).std() / 20
    prints("standard-error", 0.25, 0.75, variance, variance / 20, round(reference, 4), round(100 * reference, 2))


def test_wald():
    low, high = proportion_confint(5, 20, alpha=ALPHA_OF_196, method="normal")
    prints("wald", 1.96, round((high - low) / 2, 4), round(100 * low, 1), round(100 * high, 1), round(100 * (high - low), 1))
    exact = proportion_confint(5, 20, alpha=0.05, method="normal")
    assert [round(100 * end, 1) for end in exact] == [round(100 * low, 1), round(100 * high, 1)]


def wald_without_clipping(right: int, asked: int) -> tuple[float, float]:
    """statsmodels clips Wald's ends to 0 and 1; the chapter shows them as they come out."""
    share, spread = right / asked, stats.binom(asked, right / asked).std() / asked
    return tuple(stats.norm(share, spread).ppf([ALPHA_OF_196 / 2, 1 - ALPHA_OF_196 / 2]))


def test_wald_fails():
    low, high = wald_without_clipping(8, 10)
    spread = stats.binom(10, 0.8).std() / 10
    prints("wald-fails", 0.8, round(spread, 6), round((high - low) / 2, 6), round(low, 4), round(high, 4))
    assert proportion_confint(8, 10, alpha=ALPHA_OF_196, method="normal") == pytest.approx((low, 1.0))
    assert high > 1 and "True" in cell_text("wald-fails")


def test_wilson():
    low, high = proportion_confint(8, 10, alpha=ALPHA_OF_196, method="wilson")
    prints("wilson", 3.8416, 13.8416, round((low + high) / 2, 6), round((high - low) / 2, 6), round(low, 4), round(high, 4))
    assert high < 1 and "False" in cell_text("wilson")
    # Wilson's ends are where the score test's distance is exactly the critical value: solved here without the formula.
    for end in (low, high):
        assert abs(0.8 - end) / (stats.binom(10, end).std() / 10) == pytest.approx(1.96)


def test_wilson_on_our_run():
    low, high = proportion_confint(5, 20, alpha=ALPHA_OF_196, method="wilson")
    labels = [cell.id for cell in CHAPTER.cells if cell.cell_type == "code" and f"{round(100 * low, 2)}" in printed_text(cell)]
    assert labels, "no cell prints the Wilson interval of 5 of 20"
    prints(labels[0], round(100 * low, 2), round(100 * high, 2))


def test_plus_four():
    low, high = wald_without_clipping(10, 14)
    prints("plus-four", 10, 14, round(10 / 14, 6), round(stats.binom(14, 10 / 14).std() / 14, 6), round(low, 4), round(high, 4))


def resampled_counts() -> np.ndarray:
    """The 10,000 resamples in one call, as counts of right answers; the chapter makes 10,000 calls."""
    draws = np.random.default_rng(20260912).choice(np.array(RESULTS), size=(10_000, 20), replace=True)
    return draws.sum(axis=1)


def test_bootstrap():
    counts = resampled_counts()
    assert "[0.25 0.15 0.35]" in cell_text("bootstrap")
    assert list(counts[:3] / 20) == [0.25, 0.15, 0.35]
    prints("bootstrap", 10000, round(float(counts.mean()) * 5, 1), round(float(counts.std()) * 5, 2))


def test_percentile_interval():
    ordered = sorted(resampled_counts())
    prints("percentile-interval", 5.0 * ordered[249], 5.0 * ordered[9749])


def test_distinct_scores():
    counts = Counter(int(count) for count in resampled_counts())
    prints("distinct-scores", len(counts))
    expected = [value for right in sorted(counts) for value in (5.0 * right, counts[right], round(counts[right] / 100, 2))]
    prints("distinct-scores", *expected)
    prints("missed-25", 10_000 - counts[5], round((10_000 - counts[5]) / 100, 1))


def test_exact_share_that_misses():
    exact = 1 - Fraction(comb(20, 5) * 3**15, 4**20)
    assert float(exact) == pytest.approx(1 - stats.binom(20, 0.25).pmf(5))
    assert any("79.77" in printed_text(cell) for cell in CHAPTER.cells if cell.cell_type == "code"), "no cell prints 79.77 percent"
    assert round(100 * float(exact), 2) == 79.77


def berkeley(run: str) -> dict[tuple[str, str], Fraction]:
    with (ROOT / "lab" / "berkeley" / f"scores_{run}.csv").open(encoding="utf-8") as file:
        return {(row["model"], row["question_id"]): Fraction(row["points_earned"]) for row in csv.DictReader(file)}


def test_two_runs():
    one, two = berkeley("20260427_194044"), berkeley("20260427_195142")
    totals = {
        (model, number): sum(points for (name, _), points in run.items() if name == model)
        for number, run in ((1, one), (2, two))
        for model in ("Qwen-2.5-7B", "Llama-3.2-3B")
    }
    qwen = [float(totals["Qwen-2.5-7B", number] / 47) for number in (1, 2)]
    prints("two-runs", round(qwen[0], 4), round(qwen[1], 4), round(qwen[1] - qwen[0], 4), round(100 * (qwen[1] - qwen[0]), 1))
    llama = [float(totals["Llama-3.2-3B", number] / 47) for number in (1, 2)]
    changed = sum(one[key] != two[key] for key in one)
    prints("control", round(llama[0], 4), round(llama[1], 4), changed, len(one), round(100 * changed / len(one), 1))
    assert "False" in cell_text("control")


def test_price_list():
    expected = []
    for questions in (20, 100, 200, 384, 1000):
        low, high = proportion_confint(questions / 2, questions, alpha=ALPHA_OF_196, method="normal")
        expected += [questions, round(100 * (high - low) / 2, 1)]
    prints("price-list", *expected)


def test_questions_needed():
    needed = samplesize_confint_proportion(0.5, 0.05, alpha=ALPHA_OF_196, method="normal")
    prints("questions-needed", 39.2, 1536.64, round(needed, 2), int(np.ceil(needed)))
    assert np.ceil(samplesize_confint_proportion(0.5, 0.03, alpha=ALPHA_OF_196)) == 1068
    assert np.ceil(samplesize_confint_proportion(0.5, 0.10, alpha=ALPHA_OF_196)) == 97
