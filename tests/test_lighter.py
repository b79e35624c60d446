"""Pages made lighter look and read as before: trimmed styles, waiting scripts, fewer marks in code, no jumps."""

from __future__ import annotations

import functools
import importlib.resources
import sys
import time
from pathlib import Path

import pytest
import tinycss2
from playwright.sync_api import Browser, Page, Route

from elements import serving
from notebooks import ROOT, read_notebook

sys.path.insert(0, str(ROOT / "_ext"))
import lighter  # noqa: E402

CHAPTER = "chapters/12-is-that-score-real.html"

# The theme's stylesheets as they come, by the name under which a page asks for them.
WHOLE = {
    "pydata-sphinx-theme.css": importlib.resources.files("pydata_sphinx_theme") / "theme" / "pydata_sphinx_theme" / "static" / "styles" / "pydata-sphinx-theme.css",
    "sphinx-book-theme.css": importlib.resources.files("sphinx_book_theme") / "theme" / "sphinx_book_theme" / "static" / "styles" / "sphinx-book-theme.css",
}


# ---- Styles


@pytest.mark.parametrize(
    ("sheet", "kept"),
    [
        (".used{a:b}", ".used{a:b}"),
        (".not-used{a:b}", ""),
        ("p{a:b}", "p{a:b}"),
        ("p .not-used{a:b}", ""),
        (".used #not-used{a:b}", ""),
        (".not-used,.used{a:b}", ".not-used,.used{a:b}"),
        (".used:not(.not-used){a:b}", ".used:not(.not-used){a:b}"),
        (":is(.used,.not-used) p{a:b}", ":is(.used,.not-used) p{a:b}"),
        ('[title=".not-used"]{a:b}', '[title=".not-used"]{a:b}'),
        ("@media print{.not-used{a:b}.used{a:b}}", "@media print{.used{a:b}}"),
        ("@media print{.not-used{a:b}}", ""),
        ("@supports (a:b){@media print{.used{a:b}}}", "@supports (a:b){@media print{.used{a:b}}}"),
        ("@font-face{src:url(x.woff2)}", "@font-face{src:url(x.woff2)}"),
        ("@keyframes turn{0%{a:b}}", "@keyframes turn{0%{a:b}}"),
        ("/*! licence *//* remark */p{a:b}", "/*! licence */p{a:b}"),
        (r".used\:x{a:b}", ""),
    ],
)
def test_rules_for_what_no_page_has_are_dropped(sheet: str, kept: str):
    assert lighter.used_rules(tinycss2.parse_stylesheet(sheet, skip_whitespace=True), {"used"}) == kept


STYLES_OF_ALL = """() => [...document.querySelectorAll('*')].map(node => ['', '::before', '::after'].map(part => {
  const style = getComputedStyle(node, part);
  return [...style].filter(name => !name.startsWith('--')).map(name => name + ': ' + style.getPropertyValue(name)).join('; ');
}).join(' | '))"""


def open_parts(page: Page) -> None:
    """Open what a reader can open: folded boxes, the search box, and on narrow screens the two sidebars."""
    page.evaluate("document.querySelectorAll('details').forEach(box => box.open = true)")
    page.evaluate("document.querySelectorAll('dialog').forEach(box => box.showModal())")


def answer_with(source: Path, route: Route) -> None:
    route.fulfill(path=source)


def test_trimmed_styles_look_as_whole_ones(site: Path, browser: Browser):
    """On the front page of a phone in dark mode, with everything opened that opens."""
    looks = []
    with serving(site) as address:
        for whole in (True, False):
            context = browser.new_context(viewport={"width": 390, "height": 900}, color_scheme="dark", reduced_motion="reduce")
            page = context.new_page()
            if whole:
                for file, source in WHOLE.items():
                    page.route(f"**/{file}*", functools.partial(answer_with, source))
            page.goto(f"{address}/index.html")
            open_parts(page)
            page.evaluate("Promise.all(document.getAnimations().map(animation => animation.finished.catch(() => {})))")
            looks.append(page.evaluate(STYLES_OF_ALL))
            context.close()
    assert len(looks[0]) == len(looks[1]) > 100
    different = [set(before.split("; ")) ^ set(after.split("; ")) for before, after in zip(*looks, strict=True) if before != after]
    assert not different


def test_the_stylesheet_is_a_third_of_the_whole(site: Path):
    file = "pydata-sphinx-theme.css"
    assert (site / "_static" / "styles" / file).stat().st_size < WHOLE[file].stat().st_size / 3


# ---- Scripts


def test_no_script_keeps_the_text_waiting(site: Path, page: Page):
    page.goto((site / CHAPTER).as_uri())
    assert page.locator("head script[src]").count() >= 5
    assert page.locator("script[src]:not([defer])").count() == 0


def slowly(route: Route) -> None:
    time.sleep(0.15)
    route.continue_()


NOTE_JUMPS = """
self.jumps = [];
new PerformanceObserver(list => self.jumps.push(...list.getEntries())).observe({type: "layout-shift", buffered: true});
"""
COUNT_JUMPS = "self.jumps.map(jump => jump.value).reduce((sum, value) => sum + value, 0)"


@pytest.mark.parametrize(
    ("name", "width"),
    [("index.html", 320), ("index.html", 1280), ("chapters/uncertainty.html", 320), ("chapters/uncertainty.html", 1280), (CHAPTER, 390)],
)
def test_the_text_does_not_jump_when_scripts_come_late(site: Path, browser: Browser, name: str, width: int):
    """Cumulative layout shift, of which 0.1 counts as good; on a page with an interactive element."""
    context = browser.new_context(viewport={"width": width, "height": 850})
    page = context.new_page()
    page.add_init_script(NOTE_JUMPS)
    page.route("**/*.js*", slowly)
    with serving(site) as address:
        page.goto(f"{address}/{name}")
        page.wait_for_timeout(500)
        assert page.evaluate("document.querySelector('resample-lab, set-size-lab, score-checker').matches(':defined')")
        jumped = page.evaluate(COUNT_JUMPS)
        context.close()
    assert jumped < 0.05


# ---- Light and dark


@pytest.mark.parametrize(("stored", "scheme", "expected"), [(None, "light", "light"), (None, "dark", "dark"), ("light", "dark", "light"), ("dark", "light", "dark"), ("auto", "dark", "dark")])
def test_the_right_colours_from_the_first_moment(site: Path, browser: Browser, stored: str | None, scheme: str, expected: str):
    """Before any script file has come, and after."""
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    if stored:
        page.add_init_script(f"localStorage.setItem('mode', '{stored}')")
    with serving(site) as address:
        for act in (lambda: page.route("**/*.js*", lambda route: route.abort()), lambda: page.unroute("**/*.js*")):
            act()
            page.goto(f"{address}/index.html")
            assert page.evaluate("document.documentElement.dataset.theme") == expected
            dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 21, 19)"
            assert dark == (expected == "dark")
        context.close()


def test_without_scripts_the_page_is_light_and_complete(site: Path, browser: Browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / CHAPTER).as_uri())
    colours = {selector: page.locator(selector).first.evaluate("node => getComputedStyle(node).color") for selector in ("h1", "article p", "article a.reference")}
    assert colours == {"h1": "rgb(35, 34, 31)", "article p": "rgb(35, 34, 31)", "article a.reference": "rgb(0, 90, 142)"}
    context.close()


# ---- Code


@pytest.mark.parametrize("name", ["chapters/12-is-that-score-real", "toolkit/09-the-sum-sign"])
def test_code_on_the_page_is_the_notebooks(site: Path, page: Page, name: str):
    page.goto((site / f"{name}.html").as_uri())
    shown = page.locator("div.cell_input pre").evaluate_all("all => all.map(code => code.textContent.trimEnd())")
    assert shown == [cell.source.rstrip() for cell in read_notebook(ROOT / f"{name}.ipynb").cells if cell.cell_type == "code"]


def test_plain_names_and_brackets_carry_no_marks(site: Path):
    text = (site / CHAPTER).read_text(encoding="utf-8")
    assert '<span class="nb">print</span>(' in text
    for plain in ("n", "p", "w"):
        assert f'<span class="{plain}">' not in text
