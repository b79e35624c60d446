"""<resample-lab> draws the chapter's own resamples, through mouse and keyboard, from a server and from disk."""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import bench_interactive
from elements import (
    BOOTSTRAP, FALLBACK, LEDGER, MARKUP, RESULTS, SCRIPTS, STYLES, address_of, element, listed, read_outs, served_site, settled, table_rows, watch_errors, write_page,
)  # fmt: skip

__all__ = ["address_of", "served_site"]  # fixtures

CELLS = {cell["id"]: cell for cell in LEDGER["chapter_12"]["cells"]}


def by_numpy(results: list[int], seed: int, resamples: int) -> numpy.ndarray:
    """The right answers in each resample, by the chapter's loop: shape (resamples,)."""
    generator = numpy.random.default_rng(seed)
    values = numpy.array(results, dtype=float)
    return numpy.array([generator.choice(values, size=len(results), replace=True).sum() for _ in range(resamples)], dtype=int)


def half_up(part: int, whole: int) -> str:
    """A percentage with one decimal, rounded half up, as the page prints it: 31.25 is 31.3."""
    return str(Decimal(100 * part / whole).quantize(Decimal("0.1"), ROUND_HALF_UP))


def by_mouse(page: Page, name: str) -> Callable[[], None]:
    return lambda: page.get_by_role("button", name=name, exact=True).click()


def by_keyboard(page: Page, name: str) -> Callable[[], None]:
    """Walk to a button with the Tab key alone, from wherever the focus is, and press Enter."""

    def press() -> None:
        for _ in range(2000):  # a chapter has hundreds of links before its element
            if page.evaluate("document.activeElement.localName === 'button' && document.activeElement.textContent") == name:
                page.keyboard.press("Enter")
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"The Tab key does not reach the button {name!r}.")

    return press


@pytest.fixture
def lab(page: Page, tmp_path: Path) -> Locator:
    page.goto(write_page(tmp_path, MARKUP["resample-lab"]))
    return page.locator("resample-lab")


@pytest.fixture(scope="module")
def one_lab(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Locator]:
    page = browser.new_page()
    page.goto(write_page(tmp_path_factory.mktemp("lab"), MARKUP["resample-lab"]))
    yield page.locator("resample-lab")
    page.close()


def press(lab: Locator, name: str) -> None:
    settled(lab, by_mouse(lab.page, name))


def type_seed(lab: Locator, seed: str) -> None:
    lab.get_by_label("Seed", exact=True).fill(seed)


@pytest.mark.parametrize("hand", [by_mouse, by_keyboard])
def test_the_chapters_numbers(page: Page, address_of: Callable[[str], str], hand: Callable[[Page, str], Callable[[], None]]) -> None:
    errors = watch_errors(page)
    page.goto(address_of("resample-lab"))
    lab = page.locator("resample-lab")
    first = []
    for _ in range(3):
        settled(lab, hand(page, "Draw once"))
        first.append(read_outs(lab)["last score"])
    assert first == ["25.0 percent", "15.0 percent", "35.0 percent"]

    settled(lab, hand(page, "Draw all 10,000"))
    rows = [[score, count.replace(",", ""), share] for score, count, share in table_rows(lab.locator("table"))]
    cell = CELLS["distinct-scores"]["table"]
    assert [row[:2] for row in rows] == [row[:2] for row in cell]
    assert [float(row[2].rstrip("%")) for row in rows] == [float(row[2].rstrip("%")) for row in cell]

    shown = read_outs(lab)
    assert shown["resamples"] == "10,000"
    assert shown["distinct scores"] == "14 of 21"
    assert shown["missed 25.0 percent"] == "79.9 percent (7,986)"
    assert shown["mean"] == CELLS["bootstrap"]["prints"][2]
    assert shown["standard deviation"] == "9.74 percentage points"
    assert shown["95 percent interval"] == "5.0 to 45.0 percent"
    assert "256 scored 5.0 percent or less, and 250 are needed" in lab.inner_text()
    assert "6 to spare, or it would be 10.0 percent" in lab.inner_text()
    assert lab.get_by_role("status").inner_text() == "10,000 resamples drawn. 95 percent of them scored 5.0 to 45.0 percent."
    assert errors == []


def test_the_table_opens_on_request(lab: Locator) -> None:
    press(lab, "Draw 1,000")
    assert not lab.get_by_role("table").is_visible()
    lab.get_by_text("Table of the counts").press("Enter")
    assert lab.get_by_role("table").is_visible()


@pytest.mark.parametrize("seed", [0, 7, 2**64 + 1])
@pytest.mark.parametrize("results", [RESULTS, [1] * 13, [0, 1], [1], [0, 0, 1] * 16], ids=len)
def test_other_seeds_and_sets_equal_numpy(page: Page, tmp_path: Path, seed: int, results: list[int]) -> None:
    page.goto(write_page(tmp_path, element("resample-lab", results=listed(results), seed=1, resamples=2000)))
    lab, n = page.locator("resample-lab"), len(results)
    type_seed(lab, str(seed))
    total = 0
    for name, count in [("Draw once", 1), ("Draw once", 1), ("Draw 100", 100), ("Draw 1,000", 1000), ("Draw 100", 100), ("Draw all 2,000", 798)]:
        press(lab, name)
        total += count
        right = by_numpy(results, seed, total)
        shown, counted = read_outs(lab), Counter(right.tolist())
        rows = table_rows(lab.locator("table"))
        assert [(score, int(count.replace(",", ""))) for score, count, _ in rows] == [(half_up(k, n), counted[k]) for k in sorted(counted)]
        assert float(shown["last score"].split()[0]) == pytest.approx(100 * right[-1] / n, abs=0.0501)
        assert int(shown["resamples"].replace(",", "")) == total
        assert shown["distinct scores"] == f"{len(counted)} of {n + 1}"
        assert float(shown["mean"].split()[0]) == pytest.approx(100 * right.mean() / n, abs=0.0501)
        assert float(shown["standard deviation"].split()[0]) == pytest.approx(100 * right.std() / n, abs=0.00501)
        missed = int((right != sum(results)).sum())
        assert shown[f"missed {100 * sum(results) / n:.1f} percent"].endswith(f"({missed:,})")
        if total < 40:
            assert shown["95 percent interval"] == "from 40 resamples on"
        else:
            low, high = numpy.percentile(right, [2.5, 97.5], method="inverted_cdf")
            ends = [float(word) for word in shown["95 percent interval"].replace("to", "").replace("percent", "").split()]
            assert ends == pytest.approx([100 * low / n, 100 * high / n], abs=0.0501)


@pytest.mark.parametrize("seed", range(12))
def test_the_razor_edge_by_trying(lab: Locator, seed: int) -> None:
    """Move resamples across the edge one by one, and see how many it takes before the low end changes."""
    type_seed(lab, str(seed))
    press(lab, "Draw all 10,000")
    right = numpy.sort(by_numpy(RESULTS, seed, 10000))

    def low_end(values: numpy.ndarray) -> int:
        return int(numpy.percentile(values, 2.5, method="inverted_cdf"))

    low = low_end(right)
    up, rising = 0, right.copy()  # so many must leave the low end, to the next higher score, before it rises
    while low_end(rising) == low:
        rising[numpy.flatnonzero(rising == low)[-1]] = rising[rising > low].min()
        up += 1
    down, falling = 0, right.copy()  # so many must come down below it before it falls
    while low_end(falling) == low:
        falling[numpy.flatnonzero(falling == low)[0]] = low - 1
        down += 1
    text = lab.inner_text()
    if down < up:
        assert f"{down} short, so it is {5 * low:.1f} percent." in text
        assert f"{int((right < low).sum())} scored {5 * (low - 1):.1f} percent" in text
    else:
        assert f"{up - 1} to spare, or it would be {5 * low_end(rising):.1f} percent." in text
        assert f"{int((right <= low).sum())} scored {5 * low:.1f} percent" in text


def test_the_strip_shows_the_current_resample(lab: Locator) -> None:
    cells = lab.locator("ol > li")
    assert cells.count() == 20
    generator = numpy.random.default_rng(BOOTSTRAP["seed"])
    for _ in range(3):
        press(lab, "Draw once")
        drawn = numpy.bincount(generator.integers(0, 20, size=20), minlength=20).tolist()
        assert cells.evaluate_all("all => all.map(li => Number(li.querySelector('.times').textContent.slice(1)))") == drawn
        words = {0: "not at all", 1: "once", 2: "twice"}
        spoken = [f"question {i + 1}, {'right' if RESULTS[i] else 'wrong'}, drawn {words.get(drawn[i], f'{drawn[i]} times')}" for i in range(20)]
        assert cells.evaluate_all("all => all.map(li => li.querySelector('.score-lab-spoken').textContent)") == spoken
    # Right and wrong differ in shape, not only in colour.
    shapes = cells.evaluate_all("all => all.map(li => [...li.querySelectorAll('path')].map(path => path.getAttribute('d')).join(' '))")
    assert len({shape for shape, result in zip(shapes, RESULTS, strict=True) if result}) == 1
    assert len(set(shapes)) == 2


def test_the_chart_shows_the_counts_the_score_and_the_interval(lab: Locator) -> None:
    press(lab, "Draw all 10,000")
    lab.page.wait_for_timeout(400)  # the bars have grown
    chart = lab.get_by_role("img")
    heights = [float(height) for height in chart.locator(".bars rect").evaluate_all("all => all.map(bar => bar.getAttribute('height'))")]
    counts = [float(row[1]) for row in CELLS["distinct-scores"]["table"]] + [0] * 7
    assert len(heights) == 21
    assert [height / max(heights) for height in heights] == pytest.approx([count / max(counts) for count in counts])
    centres = chart.locator(".bars rect").evaluate_all("all => all.map(bar => Number(bar.getAttribute('x')) + bar.getAttribute('width') / 2)")
    assert float(chart.locator(".measured").get_attribute("x1")) == pytest.approx(centres[5])
    band = chart.locator(".band")
    assert float(band.get_attribute("x")) == pytest.approx(centres[1])
    assert float(band.get_attribute("x")) + float(band.get_attribute("width")) == pytest.approx(centres[9])
    assert "10,000 drawn, most often 25.0 percent." in chart.get_attribute("aria-label")


def test_fresh_draws_differ_and_the_seed_comes_back(lab: Locator) -> None:
    def table_of_all() -> list[list[str]]:
        press(lab, "Draw all 10,000")
        return table_rows(lab.locator("table"))

    seeded = table_of_all()
    lab.get_by_label("fresh draws, without a seed").check()
    assert lab.get_by_label("Seed", exact=True).is_disabled()
    assert "will not be the chapter" in lab.inner_text()
    first = table_of_all()
    lab.page.get_by_role("button", name="Start again").click()
    second = table_of_all()
    assert first != second
    assert sum(int(row[1].replace(",", "")) for row in second) == 10000
    lab.get_by_label("fresh draws, without a seed").uncheck()
    assert table_of_all() == seeded


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "The seed is empty."), ("   ", "The seed is empty."), ("-1", "cannot be negative"), ("−5", "cannot be negative"), ("- 5", "cannot be negative"),
        ("1.5", "“1.5” is not a whole number"), ("1e9", "“1e9” is not a whole number"), ("20,260,912", "is not a whole number"), ("abc", "“abc” is not a whole number"),
        ("0x10", "is not a whole number"), ("NaN", "is not a whole number"), ("Infinity", "is not a whole number"), ("٣", "is not a whole number"), ("1 2", "is not a whole number"),
        ("<b>7</b>", "“<b>7</b>” is not a whole number"), ("9" * 101, "more than 100 digits"), ("x" * 300, "is not a whole number"),
    ],
)  # fmt: skip
def test_a_bad_seed_gets_a_sentence(one_lab: Locator, typed: str, said: str) -> None:
    lab = one_lab
    lab.get_by_role("button", name="Start again").click()
    press(lab, "Draw 100")
    field = lab.get_by_label("Seed", exact=True)
    field.fill(typed)
    assert field.get_attribute("aria-invalid") == "true"
    note = lab.page.locator(f"#{field.get_attribute('aria-describedby')}")
    assert said in note.inner_text()
    assert said in lab.get_by_role("status").inner_text()
    button = lab.page.get_by_role("button", name="Draw 100")
    assert button.get_attribute("aria-disabled") == "true"
    button.click(force=True)
    assert read_outs(lab)["resamples"] == "0"
    for word in ("NaN", "undefined", "Infinity"):
        assert word not in lab.inner_text().replace(typed, "")
    field.fill(str(BOOTSTRAP["seed"]))
    assert field.get_attribute("aria-invalid") == "false"
    press(lab, "Draw once")
    assert read_outs(lab)["last score"] == "25.0 percent"


def test_the_largest_seed_that_is_taken(lab: Locator) -> None:
    seed = "9" * 100
    type_seed(lab, f" {seed} ")
    press(lab, "Draw 100")
    assert read_outs(lab)["mean"] == f"{by_numpy(RESULTS, int(seed), 100).mean() * 5:.1f} percent"


def test_the_end_of_the_draws_and_a_new_start(lab: Locator) -> None:
    for name in ("Draw 1,000", "Draw all 10,000"):
        press(lab, name)
    assert read_outs(lab)["resamples"] == "10,000"
    for name in ("Draw once", "Draw 100", "Draw 1,000", "Draw all 10,000"):
        button = lab.page.get_by_role("button", name=name, exact=True)
        assert button.get_attribute("aria-disabled") == "true"
        button.click(force=True)
        assert lab.get_by_role("status").inner_text() == "All 10,000 are drawn. Start again to draw more."
    assert read_outs(lab)["resamples"] == "10,000"
    lab.page.get_by_role("button", name="Start again").click()
    assert read_outs(lab)["resamples"] == "0"
    assert lab.get_by_role("status").inner_text() == "Started again. Nothing drawn yet."
    press(lab, "Draw once")
    assert read_outs(lab)["last score"] == "25.0 percent"


def test_starting_again_in_the_middle_of_a_run(page: Page, tmp_path: Path) -> None:
    page.goto(write_page(tmp_path, element("resample-lab", results=listed(RESULTS), seed=5, resamples=3_000_000)))
    lab = page.locator("resample-lab")
    button = page.get_by_role("button", name="Draw all 3,000,000")
    button.click()
    button.click()  # does nothing while a run goes on
    page.get_by_role("button", name="Start again").click()
    assert read_outs(lab)["resamples"] == "0"
    press(lab, "Draw 1,000")
    page.wait_for_timeout(300)
    assert read_outs(lab)["resamples"] == "1,000"
    assert read_outs(lab)["mean"] == f"{by_numpy(RESULTS, 5, 1000).mean() * 5:.1f} percent"


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ({"results": "0,1,2", "seed": 1, "resamples": 10}, "results must be zeros and ones"),
        ({"results": "", "seed": 1, "resamples": 10}, "results must be zeros and ones"),
        ({"seed": 1, "resamples": 10}, "results must be zeros and ones"),
        ({"results": "0,1", "seed": "x", "resamples": 10}, "seed must be a whole number"),
        ({"results": "0,1", "resamples": 10}, "seed must be a whole number"),
        ({"results": "0,1", "seed": 1, "resamples": 0}, "resamples must be a whole number"),
        ({"results": "0,1", "seed": 1, "resamples": "many"}, "resamples must be a whole number"),
    ],
)
def test_an_authors_mistake_leaves_the_fallback(page: Page, tmp_path: Path, attributes: dict[str, object], said: str) -> None:
    errors = watch_errors(page)
    page.goto(write_page(tmp_path, element("resample-lab", **attributes)))
    assert page.locator("resample-lab").evaluate("lab => lab.innerHTML") == FALLBACK
    assert page.get_by_text("What shows where scripts do not run.").is_visible()
    assert any(said in error for error in errors)


@pytest.mark.parametrize("order", ["forward", "backward"])
@pytest.mark.parametrize("name", MARKUP)
def test_the_scripts_may_load_in_any_order(page: Page, tmp_path: Path, name: str, order: str) -> None:
    errors = watch_errors(page)
    page.goto(write_page(tmp_path, MARKUP[name], SCRIPTS if order == "forward" else SCRIPTS[::-1]))
    expect(page.locator(f"{name} button").first).to_be_visible()
    assert errors == []


def test_a_page_without_the_elements_is_left_alone(page: Page, tmp_path: Path) -> None:
    errors = watch_errors(page)
    page.goto(write_page(tmp_path, "<p>Nothing here.</p>"))
    assert page.evaluate("['resample-lab', 'set-size-lab', 'score-checker'].filter(name => customElements.get(name))") == []
    assert page.locator("main").inner_html() == "<h1>Test</h1><p>Nothing here.</p>"
    assert errors == []


def test_two_on_one_page_do_not_share(page: Page, tmp_path: Path) -> None:
    page.goto(write_page(tmp_path, MARKUP["resample-lab"] * 2))
    first, second = page.locator("resample-lab").all()
    settled(first, lambda: first.get_by_role("button", name="Draw 100").click())
    assert (read_outs(first)["resamples"], read_outs(second)["resamples"]) == ("100", "0")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(node => node.id)")
    assert len(ids) == len(set(ids))


def test_moving_the_element_keeps_it(lab: Locator) -> None:
    press(lab, "Draw 100")
    lab.evaluate("lab => lab.parentNode.append(lab)")
    assert read_outs(lab)["resamples"] == "100"
    assert lab.get_by_role("button", name="Draw once").count() == 1


def test_twenty_times_faster_than_the_chapters_loop(browser: Browser, tmp_path: Path) -> None:
    """The best of many rounds each, alternating, so that a busy moment of the machine does not decide."""
    measured = bench_interactive.speed(browser, tmp_path, rounds=15)
    assert measured["ratio"] >= 20, measured
    assert measured["slide_480"] < 1000, measured


@pytest.mark.parametrize(("name", "act"), [("resample-lab", bench_interactive.PRESS), ("set-size-lab", bench_interactive.SLIDE)])
def test_no_task_is_longer_than_a_frame(browser: Browser, tmp_path: Path, name: str, act: str) -> None:
    assert min(bench_interactive.longest_task(browser, tmp_path, name, act) for _ in range(3)) < 1000 / 60


def test_all_of_it_is_under_25_kilobytes() -> None:
    """Scripts and styles, each file compressed by itself, as a server sends them."""
    assert sum(len(gzip.compress(path.read_bytes(), 6)) for path in SCRIPTS + STYLES) < 25_000
