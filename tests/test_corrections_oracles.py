"""The figures that the corrections page works out itself, by a second route."""

import json
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy
import pytest
from matplotlib.colors import to_rgb
from scipy import stats
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import samplesize_confint_proportion

PAGE = Path(__file__).resolve().parent.parent / "chapters" / "corrections.ipynb"
Z_SQUARED = Fraction(196, 100) ** 2


@pytest.fixture(scope="module")
def printed():
    """What each cell of the recorded page printed, by the cell's label."""
    cells = json.loads(PAGE.read_text(encoding="utf-8"))["cells"]
    return {cell["id"]: "".join("".join(output["text"]) for output in cell["outputs"])
            for cell in cells if cell["cell_type"] == "code"}


def chances(questions, truth):
    """Exact chance of 0, 1, ..., n right, for a truth given as a Fraction."""
    return [math.comb(questions, right) * truth**right * (1 - truth) ** (questions - right) for right in range(questions + 1)]


def within_margin(distance, variance):
    """Whether |distance| <= 1.96 sqrt(variance), decided in exact fractions."""
    return distance**2 <= Z_SQUARED * variance


def wald(right, questions, truth):
    share = Fraction(right, questions)
    return within_margin(share - truth, share * (1 - share) / questions)


def wilson(right, questions, truth):
    return within_margin(Fraction(right, questions) - truth, truth * (1 - truth) / questions)


def plus_four(right, questions, truth):
    return wald(right + 2, questions + 4, truth)


def clopper_pearson(right, questions, truth):
    # The interval keeps what neither one-sided exact test rejects at 2.5 percent.
    table = chances(questions, truth)
    return sum(table[right:]) > Fraction(25, 1000) and sum(table[: right + 1]) > Fraction(25, 1000)


def percentile_bootstrap(right, questions, truth):
    # From the first score whose cumulative chance reaches 0.025 to the first whose chance reaches 0.975.
    table, total, low, high = chances(questions, Fraction(right, questions)), 0, None, None
    for score, chance in enumerate(table):
        total += chance
        if low is None and total >= Fraction(25, 1000):
            low = score
        if high is None and total >= Fraction(975, 1000):
            high = score
    return Fraction(low, questions) <= truth <= Fraction(high, questions)


def mean_coverage(method, questions):
    truths = [Fraction(percent, 100) for percent in range(1, 100)]
    coverages = [
        sum(chance for right, chance in enumerate(chances(questions, truth)) if method(right, questions, truth))
        for truth in truths
    ]
    return float(sum(coverages) / len(truths))


@pytest.mark.parametrize("questions", [10, 20, 30])
def test_mean_coverage_in_exact_fractions(printed, questions):
    line = re.search(rf"^{questions} questions: \[(.*)\]$", printed["correction-11"], re.MULTILINE)
    methods = [wald, wilson, plus_four, clopper_pearson, percentile_bootstrap]
    assert [float(number) for number in line[1].split(",")] == [round(mean_coverage(method, questions), 3) for method in methods]


def test_coverage_of_copied_questions_in_exact_fractions(printed):
    truth = Fraction(1, 4)
    found = [float(number) for number in re.findall(r"captured: ([\d.]+)", printed["correction-07"])]
    expected = []
    for copies in (1, 4, 16):
        captured = [
            chance
            for right, chance in enumerate(chances(20, truth))
            if wald(right * copies, 20 * copies, truth)  # the copies, counted as if they were questions
        ]
        expected.append(round(100 * float(sum(captured)), 1))
    assert found == expected


def test_sample_sizes_against_statsmodels(printed):
    # ratio=0 is the one-sample case, which is what the differences between two models on the same questions are.
    compare = NormalIndPower().solve_power(effect_size=0.03 / math.sqrt(1 / 9), alpha=0.05, power=0.80, ratio=0)
    one_score = samplesize_confint_proportion(0.5, 0.03, alpha=2 * stats.norm.sf(1.96))
    assert [int(number) for number in re.findall(r": (\d+)", printed["correction-08"])] == [math.ceil(compare), math.ceil(one_score)]


def test_low_ends_of_400_seeds_against_their_exact_chances(printed):
    # An end is 5 percent if at least 251 of 10,000 resamples score 5 percent or less, between at exactly 250.
    at_most_one = float(sum(chances(20, Fraction(1, 4))[:2]))
    at_5, between = stats.binom.sf(250, 10000, at_most_one), stats.binom.pmf(250, 10000, at_most_one)
    found = [int(number) for number in re.findall(r"low end 10: (\d+)  low end 5: (\d+)  between: (\d+)", printed["correction-09"])[0]]
    assert sum(found) == 400
    assert stats.chisquare(found, 400 * numpy.array([1 - at_5 - between, at_5, between])).pvalue > 0.001


def test_six_flips_alike_against_the_binomial_test(printed):
    assert f"McNemar's exact test: {round(stats.binomtest(6, 6, 0.5).pvalue, 3)}" in printed["correction-05"]


def test_contrast_on_white_against_matplotlib_colours(printed):
    rows = re.findall(r"^(#\w{6}) .* ([\d.]+) (True|False)$", printed["correction-01"], re.MULTILINE)
    assert len(rows) == 6
    for colour, contrast, passes in rows:
        channels = numpy.array(to_rgb(colour))
        light = numpy.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        expected = 1.05 / (light @ [0.2126, 0.7152, 0.0722] + 0.05)
        assert float(contrast) == round(expected, 2)
        assert (passes == "True") == (expected >= 3)
