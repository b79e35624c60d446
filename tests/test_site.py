"""The built site as a reader meets it, in a real browser, and the build's own refusals."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from playwright.sync_api import Browser, Page

from notebooks import ROOT

# Pages that Sphinx makes, not the course.
GENERATED = {"search.html", "genindex.html"}


class Outline(HTMLParser):
    """Collects what the tests ask of a page: ids, links, headings, images."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.headings: list[int] = []
        self.images: list[dict[str, str | None]] = []
        self._in_article = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        if found.get("id"):
            self.ids.add(found["id"])
        if tag == "article":
            self._in_article = True
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        if self._in_article and re.fullmatch(r"h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "img":
            self.images.append(found)

    def handle_endtag(self, tag: str) -> None:
        if tag == "article":
            self._in_article = False


@pytest.fixture(scope="module")
def outlines(site: Path) -> dict[str, Outline]:
    """Every HTML page of the site, by its path within it."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        if "_static" in path.parts:
            continue
        outline = Outline()
        outline.feed(path.read_text(encoding="utf-8"))
        pages[path.relative_to(site).as_posix()] = outline
    assert "index.html" in pages
    return pages


def test_no_link_is_dead(site: Path, outlines: dict[str, Outline]):
    dead = defaultdict(list)
    for name, outline in outlines.items():
        if name in GENERATED:
            continue
        for link in outline.links:
            if re.match(r"[a-z]+:", link):
                continue
            target, fragment = urldefrag(link)
            path = (site / name).parent / unquote(target) if target else site / name
            if not path.is_file():
                dead[name].append(link)
            elif fragment and path.suffix == ".html":
                reached = outlines.get(path.resolve().relative_to(site.resolve()).as_posix())
                if reached and unquote(fragment) not in reached.ids:
                    dead[name].append(link)
    assert not dead, dict(dead)


def test_headings_do_not_skip(outlines: dict[str, Outline]):
    for name, outline in outlines.items():
        if name in GENERATED:
            continue
        levels = outline.headings
        assert levels and levels[0] == 1 and levels.count(1) == 1, f"{name} has not exactly one title"
        for before, after in zip(levels, levels[1:], strict=False):
            assert after <= before + 1, f"{name}: a heading of level {after} follows one of level {before}"


def test_every_image_says_what_it_shows(outlines: dict[str, Outline]):
    for name, outline in outlines.items():
        for image in outline.images:
            assert len(image.get("alt") or "") > 20, f"{name}: {image.get('src')} has no useful alternative text"


def test_nothing_is_asked_from_elsewhere_and_nothing_goes_wrong(site: Path, page: Page, outlines: dict[str, Outline]):
    """Open every page from disk: no request leaves the folder, and the console stays silent."""
    strange: list[str] = []
    page.on("request", lambda request: strange.append(request.url) if not request.url.startswith(("file:", "data:")) else None)
    page.on("console", lambda message: strange.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: strange.append(str(error)))
    page.on("requestfailed", lambda request: strange.append(f"not loaded: {request.url}"))
    for name in outlines:
        page.goto((site / name).as_uri())
        page.wait_for_timeout(50)
        assert not strange, f"{name}: {strange}"


@pytest.mark.parametrize("width", [320, 390])
def test_no_page_scrolls_sideways(width: int, site: Path, page: Page, outlines: dict[str, Outline]):
    page.set_viewport_size({"width": width, "height": 800})
    too_wide = {}
    for name in outlines:
        if name in GENERATED:
            continue
        page.goto((site / name).as_uri())
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            too_wide[name] = page.evaluate(
                """() => [...document.querySelectorAll('article *')]
                    .filter(part => part.getBoundingClientRect().right > innerWidth + 1)
                    .slice(0, 3).map(part => part.outerHTML.slice(0, 120))"""
            )
    assert not too_wide, too_wide


def test_formulas_carry_their_numbers(site: Path):
    chapter = (site / "chapters" / "12-is-that-score-real.html").read_text(encoding="utf-8")
    numbers = re.findall(r'class="eqno">\(([\d.]+)\)', chapter)
    assert [number for number in numbers if "." in number] == [f"12.{i}" for i in range(1, 10)]


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_formulas_begin_in_sight_and_keep_clear_of_their_numbers(width: int, site: Path, page: Page):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto((site / "chapters" / "12-is-that-score-real.html").as_uri())
    formulas = page.locator("div.math").evaluate_all(
        """formulas => formulas.map(formula => {
          const box = node => node?.getBoundingClientRect(), pieces = [...formula.querySelectorAll(".katex-html > .base")].map(box);
          const number = box(formula.querySelector(".eqno"));
          const covered = number && pieces.some(piece => piece.right > number.left && piece.left < number.right && piece.bottom > number.top && piece.top < number.bottom);
          return {from: pieces[0].left - box(formula).left, to: box(formula).right - pieces.at(-1).right, covered: Boolean(covered)};
        })"""
    )
    assert len(formulas) >= 9
    for formula in formulas:
        assert formula["from"] >= 0 and not formula["covered"]
        assert formula["from"] < 20 or abs(formula["from"] - formula["to"]) < 70, "neither in the middle nor too wide for it"


@pytest.mark.parametrize("name", ["12-is-that-score-real", "uncertainty"])
def test_a_value_stands_right_under_its_name(name: str, site: Path, page: Page):
    page.goto((site / "chapters" / f"{name}.html").as_uri())
    pairs = page.locator(".read-outs > div").all()
    assert len(pairs) >= 4
    for pair in pairs:
        label, value = pair.locator("dt").bounding_box(), pair.locator("dd").bounding_box()
        assert label["x"] == value["x"] and 0 <= value["y"] - label["y"] - label["height"] < 5


def test_every_glossary_term_is_linked_somewhere(outlines: dict[str, Outline]):
    terms = {name for outline in outlines.values() for name in outline.ids if name.startswith("term-")}
    assert terms, "the site has no glossary"
    links = {urldefrag(link)[1] for outline in outlines.values() for link in outline.links}
    assert terms - links == set(), "no text links to these glossary entries"


def test_print_unfolds_the_answers_and_cuts_no_code(site: Path, page: Page):
    page.goto((site / "answers" / "index.html").as_uri())
    answer = page.locator("details.answer").first.locator("li, p").first
    assert not answer.is_visible(), "answers are folded on the screen"
    page.emulate_media(media="print")
    assert page.locator("details.answer").first.evaluate("box => box.clientHeight") > 60
    assert answer.evaluate("text => text.getBoundingClientRect().height") > 10, "an answer stays folded on paper"
    page.goto((site / "chapters" / "12-is-that-score-real.html").as_uri())
    page.set_viewport_size({"width": 720, "height": 1000})
    cut = page.evaluate("[...document.querySelectorAll('div.cell pre')].filter(box => box.offsetParent && box.scrollWidth > box.clientWidth + 1).length")
    assert cut == 0, "code runs off the paper"


def test_a_dark_page_is_printed_light(site: Path, browser: Browser):
    page = browser.new_page(color_scheme="dark")
    page.goto((site / "toolkit" / "20-the-bell-curve.html").as_uri())
    colours = "[...document.querySelectorAll('article p, pre span')].map(node => getComputedStyle(node).color)"
    dark = page.evaluate(colours)
    page.evaluate(f"addEventListener('beforeprint', () => {{ self.printed = {colours} }})")
    page.pdf()
    printed = page.evaluate("self.printed")
    assert page.evaluate(colours) == dark
    page.emulate_media(color_scheme="light")
    page.reload()
    assert printed == page.evaluate(colours) != dark
    page.close()


SMALL_PAGE = """# Small

{body}

```{{code-cell}} python
---
label: chart
{options}---
from matplotlib import pyplot
pyplot.plot([1, 2])
pyplot.show()
```
"""

COMPLETE = "mystnb:\n  figure:\n    name: figure-one\n    caption: Two points.\n  image:\n    alt: A line from 1 to 2.\n"

# What is wrong with a page: its text, its chart's options, and what the build says about it.
REFUSALS = {
    "no-alternative-text": ("", COMPLETE.split("  image:")[0], "has no alternative text"),
    "no-caption": ("", "mystnb:\n  image:\n    alt: A line from 1 to 2.\n", "is not in a figure"),
    "dead-link": ("See [there](#nowhere).", COMPLETE, "nowhere"),
    "unreadable-formula": (r"It is $\notacommand{1}$ so.", COMPLETE, "KaTeX cannot read a formula"),
    "unknown-term": ("A {term}`banana`.", COMPLETE, "banana"),
}


def build_small_book(folder: Path, pages: dict[str, tuple[str, str]]) -> subprocess.CompletedProcess[str]:
    """Record and build a book of small pages, as `make` would. `pages` holds each page's text and its chart's options."""
    (folder / "chapters").mkdir(parents=True)
    (folder / "tests").mkdir()
    for name in ("_ext", "_static"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("_config.yml", "tests/kernels.py", "tests/notebooks.py", "tests/record.py"):
        shutil.copy(ROOT / name, folder / name)
    chapters = "".join(f"  - file: chapters/{name}\n" for name in pages)
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: index\nchapters:\n{chapters}", encoding="utf-8")
    (folder / "index.md").write_text("# Front\n\nHello.\n", encoding="utf-8")
    for name, (body, options) in pages.items():
        options = options.replace("figure-one", f"figure-{name}")
        (folder / "chapters" / f"{name}.md").write_text(SMALL_PAGE.format(body=body, options=options), encoding="utf-8")
    subprocess.run([sys.executable, "tests/record.py"], cwd=folder, check=True, capture_output=True)
    return subprocess.run(
        [Path(sys.executable).with_name("jupyter-book"), "build", ".", "-W", "-n", "--keep-going"], cwd=folder, capture_output=True, text=True
    )


def test_a_sound_book_builds(tmp_path: Path):
    run = build_small_book(tmp_path / "book", {"sound": ("A sentence.", COMPLETE)})
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.fixture(scope="module")
def faulty_build(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """One build of a book in which each page has another fault."""
    return build_small_book(tmp_path_factory.mktemp("faulty") / "book", {name: (body, options) for name, (body, options, _) in REFUSALS.items()})


@pytest.mark.parametrize("fault", REFUSALS)
def test_a_faulty_page_is_refused(fault: str, faulty_build: subprocess.CompletedProcess[str]):
    assert faulty_build.returncode != 0
    warnings = re.findall(r"^.*WARNING:.*$", faulty_build.stdout + faulty_build.stderr, flags=re.M)
    assert [line for line in warnings if f"chapters/{fault}." in line.replace("\\", "/") and REFUSALS[fault][2] in line], warnings
