"""Fixtures shared by the tests: the built site, and a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

import browser as chromium
from notebooks import ROOT

SITE = ROOT / "_build" / "html"


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site's folder. The tests read what `make book` built; they do not build it twice."""
    front = SITE / "index.html"
    if not front.is_file():
        pytest.fail("The site is not built. Run: make book (or make test, which does it first).")
    sources = [*ROOT.glob("*.md"), *ROOT.glob("_*.yml"), *(ROOT / "_static").rglob("*"), *(ROOT / "_ext").glob("*.py")]
    for folder in ("chapters", "toolkit", "answers"):
        sources += (ROOT / folder).rglob("*.ipynb")
    # README.md and CONTRIBUTING.md are not pages of the site.
    sources = [path for path in sources if path.is_file() and path.name not in ("README.md", "CONTRIBUTING.md")]
    built = (SITE / "searchindex.js").stat().st_mtime
    newer = [path.relative_to(ROOT).as_posix() for path in sources if path.stat().st_mtime > built]
    if newer:
        pytest.fail(f"The site is older than {newer[0]}. Run: make book")
    return SITE


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium per test process."""
    with sync_playwright() as playwright:
        instance = chromium.launch(playwright)
        yield instance
        instance.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh browser context, 1280 px wide, in light mode."""
    instance = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    yield instance
    instance.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A fresh browser page."""
    return context.new_page()
