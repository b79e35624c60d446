"""Search works by keyboard, also in a site opened from disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect


@pytest.mark.parametrize(
    ("words", "found"),
    [("percentage points", "Toolkit 11"), ("square root", "Toolkit 6"), ("hat", "Toolkit 4"), ("ceiling", "Toolkit 17")],
)
def test_search_from_disk_by_keyboard(words: str, found: str, site: Path, page: Page):
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto((site / "index.html").as_uri())
    page.keyboard.press("Control+k")
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=*")
    room = page.locator(".bd-article-container form.bd-search").evaluate(
        """form => { const box = form.querySelector("input");
             return box.getBoundingClientRect().left + parseFloat(getComputedStyle(box).paddingLeft) - form.querySelector("i").getBoundingClientRect().right }"""
    )
    assert room > 0, "the words run into the magnifying glass"
    results = page.locator("#search-results li a")
    expect(results.filter(has_text=found).first).to_be_visible(timeout=15_000)
    assert any(found in text for text in results.all_inner_texts()[:8]), "it stands too far down"
    assert trouble == []
