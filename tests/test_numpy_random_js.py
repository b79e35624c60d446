"""numpy-random.js draws what NumPy draws: the same seeds, ranges and call sizes, in Chromium and in NumPy."""

from __future__ import annotations

import random

import numpy
import pytest
from playwright.sync_api import Browser, Error, Page

from elements import FOLDER, RESULTS

NAMED_SEEDS = [0, 1, 2, 19, 42, 20260912, 2**31, 2**32 - 1, 2**32, 2**53 - 1, 2**53 + 1, 2**63, 2**64 - 1, 2**64 + 1, 2**96, 2**128 + 5]
RANGES = [1, 2, 3, 19, 20, 30, 480, 2**16, 2**31, 2**31 + 1, 3 * 2**30, 2**32 - 1, 2**32]


def seeds() -> list[int]:
    """240 seeds: the named ones, and numbers of 1 to 300 bits."""
    chooser = random.Random(12)
    return NAMED_SEEDS + [chooser.getrandbits(chooser.randint(1, 300)) for _ in range(240 - len(NAMED_SEEDS))]


@pytest.fixture(scope="module")
def numpy_page(browser: Browser) -> Page:
    page = browser.new_page()
    page.add_script_tag(path=FOLDER / "numpy-random.js")
    yield page
    page.close()


# Runs many generators. A plan is [[seed, [[n, size or null], ...]], ...]; the answer has one list of numbers per seed.
RUN = """plans => plans.map(([seed, calls]) => {
  const generator = numpyRandom.defaultRng(BigInt(seed));
  return calls.flatMap(([n, size]) => size === null ? [generator.integers(0, n)] : [...generator.integers(0, n, size)]);
})"""


def by_numpy(seed: int, calls: list[tuple[int, int | None]]) -> list[int]:
    generator = numpy.random.default_rng(seed)
    return [int(value) for n, size in calls for value in numpy.atleast_1d(generator.integers(0, n, size=size))]


def compare(page: Page, plans: list[tuple[int, list[tuple[int, int | None]]]]) -> None:
    in_page = page.evaluate(RUN, [[str(seed), calls] for seed, calls in plans])
    assert len(in_page) == len(plans)
    for (seed, calls), values in zip(plans, in_page, strict=True):
        assert values == by_numpy(seed, calls), (seed, calls)


@pytest.mark.parametrize("n", RANGES)
def test_every_seed_and_range(numpy_page: Page, n: int) -> None:
    compare(numpy_page, [(seed, [(n, 23)]) for seed in seeds()])


def test_one_generator_through_all_ranges_and_call_sizes(numpy_page: Page) -> None:
    """Odd sizes leave half a word behind for the next call, which may be of another range or a single number."""
    plans = []
    for seed in seeds():
        chooser = random.Random(seed)
        calls = [(chooser.choice(RANGES), chooser.choice([None, 0, 1, 2, 3, 7, 20])) for _ in range(30)]
        plans.append((seed, calls))
    compare(numpy_page, plans)


@pytest.mark.parametrize("n", [20, 30, 2**31 + 1, 2**32])
def test_single_calls_are_one_long_call(numpy_page: Page, n: int) -> None:
    single, long = numpy_page.evaluate(RUN, [["20260912", [[n, None]] * 500], ["20260912", [[n, 500]]]])
    assert single == long == by_numpy(20260912, [(n, 500)])


def test_a_million_draws(numpy_page: Page) -> None:
    text = numpy_page.evaluate("numpyRandom.defaultRng(20260912).integers(0, 480, 1000000).join()")
    drawn = numpy.array(text.split(","), dtype=numpy.int64)
    assert numpy.array_equal(drawn, numpy.random.default_rng(20260912).integers(0, 480, size=1_000_000))


def test_choice(numpy_page: Page) -> None:
    in_page = numpy_page.evaluate(
        """([seeds, results]) => seeds.map(seed => {
          const generator = numpyRandom.defaultRng(BigInt(seed));
          const words = ["a", "b", "c"];
          return [...Array.from({length: 50}, () => generator.choice(results, 20)).flat(),
                  generator.choice(results), ...generator.choice(words, 5), generator.choice(words), generator.choice(["only"]),
                  ...generator.choice(results, 0), ...generator.choice(results, 3)];
        })""",
        [[str(seed) for seed in seeds()], RESULTS],
    )
    for seed, values in zip(seeds(), in_page, strict=True):
        generator = numpy.random.default_rng(seed)
        expected = [int(value) for _ in range(50) for value in generator.choice(RESULTS, size=20, replace=True)]
        expected += [int(generator.choice(RESULTS)), *map(str, generator.choice(["a", "b", "c"], size=5)), str(generator.choice(["a", "b", "c"]))]
        expected += [str(generator.choice(["only"])), *generator.choice(RESULTS, size=0), *map(int, generator.choice(RESULTS, size=3))]
        assert values == expected, seed


def test_a_seed_may_be_a_number_a_bigint_or_digits(numpy_page: Page) -> None:
    drawn = numpy_page.evaluate("[20260912, 20260912n, '20260912', '00020260912'].map(seed => numpyRandom.defaultRng(seed).integers(0, 20, 20).join())")
    assert set(drawn) == {",".join(map(str, by_numpy(20260912, [(20, 20)])))}


@pytest.mark.parametrize(
    "call",
    [
        "numpyRandom.defaultRng(-1)", "numpyRandom.defaultRng(-1n)", "numpyRandom.defaultRng(1.5)", "numpyRandom.defaultRng(NaN)",
        "numpyRandom.defaultRng(2 ** 53)", "numpyRandom.defaultRng('')", "numpyRandom.defaultRng('0x10')", "numpyRandom.defaultRng(null)",
        "numpyRandom.defaultRng(0).integers(0, 0)", "numpyRandom.defaultRng(0).integers(0, 2 ** 32 + 1)",
        "numpyRandom.defaultRng(0).integers(0, 1.5, 3)", "numpyRandom.defaultRng(0).integers(1, 5)", "numpyRandom.defaultRng(0).choice([], 3)",
    ],
)  # fmt: skip
def test_what_numpy_does_not_accept_is_refused(numpy_page: Page, call: str) -> None:
    with pytest.raises(Error, match="RangeError: (a seed|n must|low must)"):
        numpy_page.evaluate(call)


def test_without_a_seed_the_draws_are_fresh(numpy_page: Page) -> None:
    runs = numpy_page.evaluate("Array.from({length: 20}, () => numpyRandom.defaultRng().integers(0, 2 ** 32, 4).join())")
    assert len(set(runs)) == 20
