"""<set-size-lab> draws the bootstrap chapter's own resamples, and shows how the interval narrows with the set."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy
import pytest
from playwright.sync_api import Locator, Page, expect

from elements import (
    FALLBACK, LABELS, LEDGER, MARKUP, address_of, element, listed, read_outs, served_site, settled, table_rows, watch_errors, write_page,
)  # fmt: skip

__all__ = ["address_of", "served_site"]  # fixtures

UNCERTAINTY = LEDGER["uncertainty"]


def accuracies(copies: int, resamples: int = 10000, seed: int = 0) -> numpy.ndarray:
    """The chapter's bootstrap of the tiled labels: accuracies, shape (resamples,)."""
    labels = numpy.tile(LABELS, copies)
    generator = numpy.random.default_rng(seed)
    return numpy.array([labels[generator.integers(0, len(labels), size=len(labels))].mean() for _ in range(resamples)])


@pytest.fixture
def lab(page: Page, tmp_path: Path) -> Locator:
    page.goto(write_page(tmp_path, MARKUP["set-size-lab"]))
    return page.locator("set-size-lab")


def click(lab: Locator, name: str) -> None:
    settled(lab, lambda: lab.get_by_role("button", name=name).click())


def test_the_chapters_numbers(page: Page, address_of: Callable[[str], str]) -> None:
    errors = watch_errors(page)
    page.goto(address_of("set-size-lab"))
    lab = page.locator("set-size-lab")
    for number, draw in enumerate(UNCERTAINTY["draws"], 1):
        click(lab, "Draw one")
        assert lab.locator(".indices").inner_text() == f"Draw {number}: {', '.join(map(str, draw['indices']))}"
        assert read_outs(lab)["last accuracy"] == draw["accuracy"]
        assert f"{draw['right']} of 30 right, accuracy {draw['accuracy']}" in lab.inner_text()

    click(lab, "Draw all 10,000")
    full = UNCERTAINTY["full_bootstrap"]
    shown = read_outs(lab)
    assert shown["resamples"] == "10,000"
    assert shown["mean"] == full["mean"]
    assert shown["95 percent interval"] == f"[{full['low']}, {full['high']}]"
    assert shown["width"] == full["width"]

    slider = lab.get_by_role("slider")
    slider.focus()
    settled(lab, lambda: page.keyboard.press("ArrowRight"))
    for _ in range(3):
        settled(lab, lambda: page.keyboard.press("ArrowRight"))
    rows = {row[0]: row for row in table_rows(lab.get_by_role("table"))}
    assert list(rows) == ["30", "60", "120", "240", "480"]
    for n, low, high, width, _ in UNCERTAINTY["growing_sets"]:
        assert rows[n][1:4] == [low, high, width]
    assert [rows[n][4] for n in ("30", "120", "480")] == ["1.00", "2.00", "4.00"]
    assert errors == []


def test_repeats_are_marked(lab: Locator) -> None:
    for draw in UNCERTAINTY["draws"]:
        click(lab, "Draw one")
        counts = numpy.bincount(draw["indices"], minlength=30)
        marked = [int(text) for text in lab.locator(".indices strong").all_inner_texts()]
        assert marked == [index for index in draw["indices"] if counts[index] > 1]
        note = lab.locator(".note").first.inner_text()
        for index, count in UNCERTAINTY["draw_1_repeats"].items() if draw is UNCERTAINTY["draws"][0] else ():
            assert counts[index] == count
        words = {2: "twice"}
        for count in set(counts.tolist()) - {0, 1}:
            items = [str(item) for item in numpy.flatnonzero(counts == count)]
            named = items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
            assert f"{named} ({words.get(count, f'{count} times')})" in note
        never = [str(item) for item in numpy.flatnonzero(counts == 0)]
        assert note.endswith(f"Never drawn: {', '.join(never[:-1])} and {never[-1]}.")


def test_a_hundred_at_a_time_equals_numpy(lab: Locator) -> None:
    for total in (100, 200, 300):
        click(lab, "Draw a hundred")
        values = accuracies(1, total)
        low, high = numpy.percentile(values, [2.5, 97.5], method="inverted_cdf")
        shown = read_outs(lab)
        assert shown["mean"] == f"{values.mean():.4f}"
        assert shown["last accuracy"] == f"{values[-1]:.4f}"
        assert shown["95 percent interval"] == f"[{low:.4f}, {high:.4f}]"


@pytest.mark.parametrize("place", range(5))
def test_each_size_equals_numpy(lab: Locator, place: int) -> None:
    """By the rank rule, and by numpy.percentile's interpolation as the chapter's cells print it: the same here."""
    copies = 2**place
    slider = lab.get_by_role("slider")
    settled(lab, lambda: slider.evaluate("(slider, place) => { slider.value = place; slider.dispatchEvent(new Event('input')) }", place))
    assert slider.get_attribute("aria-valuetext") == f"{copies} {'copy' if copies == 1 else 'copies'}, n = {30 * copies}"
    values, base = accuracies(copies), accuracies(1)
    row = table_rows(lab.get_by_role("table"))[-1]
    for method in ("inverted_cdf", "linear"):
        low, high = numpy.percentile(values, [2.5, 97.5], method=method)
        first_low, first_high = numpy.percentile(base, [2.5, 97.5], method=method)
        assert row[0] == str(30 * copies)
        assert row[1:] == [f"{low:.4f}", f"{high:.4f}", f"{high - low:.4f}", f"{(first_high - first_low) / (high - low):.2f}"]
    sentence = lab.get_by_role("status").inner_text()
    assert sentence.startswith(f"n = {30 * copies}: from {low:.4f} to {high:.4f}, width {high - low:.4f}")


def test_a_slider_moved_on_before_it_is_done(lab: Locator) -> None:
    slider = lab.get_by_role("slider")
    settled(lab, lambda: slider.evaluate("""slider => { for (const place of [4, 2, 4, 1, 3]) { slider.value = place; slider.dispatchEvent(new Event('input')) } }"""))
    expect(lab.locator("tr.current th")).to_have_text("240")
    assert [row[0] for row in table_rows(lab.get_by_role("table"))] == ["30", "240"]


def test_it_says_that_copies_are_no_evidence(lab: Locator) -> None:
    warning = lab.get_by_text("Copying the 30 answers adds no evidence.")
    assert warning.is_visible()
    assert lab.get_by_role("slider").get_attribute("aria-describedby") == warning.get_attribute("id")


def test_start_again_draws_the_same_again(lab: Locator) -> None:
    click(lab, "Draw one")
    first = lab.locator(".indices").inner_text()
    lab.get_by_role("button", name="Start again").click()
    assert read_outs(lab)["resamples"] == "0"
    assert "may pick one again" in lab.locator(".indices").inner_text()
    click(lab, "Draw one")
    assert lab.locator(".indices").inner_text() == first


@pytest.mark.parametrize("multiples", ["", "2,4", "1,x", "1,0", "1,1.5"])
def test_an_authors_mistake_leaves_the_fallback(page: Page, tmp_path: Path, multiples: str) -> None:
    errors = watch_errors(page)
    page.goto(write_page(tmp_path, element("set-size-lab", results=listed(LABELS), seed=0, resamples=100, multiples=multiples)))
    assert page.locator("set-size-lab").evaluate("lab => lab.innerHTML") == FALLBACK
    assert any("multiples must be whole numbers" in error for error in errors)
