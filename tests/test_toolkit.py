"""The Math Toolkit: complete, short, linked both ways, and found by what stopped the reader."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Page, expect

from constructs import WORDS, constructs_of, places, python_in, signs_in_formula, signs_in_text, words_in_text
from elements import served_site
from notebooks import ROOT, cells_from_source, page_name

__all__ = ["served_site"]  # a fixture

TOOLKIT = ROOT / "toolkit"
PAGES = sorted(TOOLKIT.glob("[0-9][0-9]-*.md"))
CHAPTERS = sorted((ROOT / "chapters").glob("*.md"))
MAP = yaml.safe_load((ROOT / "tests" / "toolkit_map.yml").read_text(encoding="utf-8"))
KINDS = ("formulas", "words", "python")

# A screen of prose, and a reading time of two minutes at 200 words a minute.
SCREEN_HEIGHT = 900
WORDS_IN_TWO_MINUTES = 400


def number_of(page: Path) -> str:
    return page.name[:2]


# --- the pages -------------------------------------------------------------------------------------------------------------


def test_there_are_twenty():
    assert [number_of(page) for page in PAGES] == [f"{number:02d}" for number in range(1, 21)]


@pytest.mark.parametrize("page", PAGES, ids=number_of)
def test_the_parts_come_in_order(page: Path):
    text = page.read_text(encoding="utf-8")
    parts = (
        rf"^\(toolkit-{number_of(page)}\)=\n# Toolkit {int(number_of(page))}: .+\n\nFor .+\.\n\n\*\*Time\*\* 2 minutes\. \*\*Needs\*\* .+\.\n",
        r"^## .+\?\n",  # the question of a reader who is stuck
        r"^## On a calculator\n",
        r"^\| press \| the display shows \|",
        r"^## The same in Python\n",
        r"^label: same-in-python\n",
        r"^## Check yourself\n",
        r"^:::\{admonition\} Answer\n:class: dropdown answer\n",
        r"^## Used in\n",
        r"^```\{used-in\}\n",
    )
    position = 0
    for part in parts:
        match = re.compile(part, re.M).search(text, position)
        assert match, f"{page.name}: {part} is missing, or not in its place"
        position = match.end()
    assert len(re.findall(r"^## ", text, re.M)) == 5, f"{page.name} has other sections than the five every toolkit page has"


@pytest.mark.parametrize("page", PAGES, ids=number_of)
def test_only_earlier_pages_are_needed(page: Path):
    needs = re.search(r"\*\*Needs\*\* (.+)\.\n", page.read_text(encoding="utf-8")).group(1)
    needed = re.findall(r"#toolkit-(\d\d)", needs)
    assert needed or needs == "nothing", f"{page.name}: name the pages it needs, or write: nothing"
    assert all(number < number_of(page) for number in needed), f"{page.name} needs a page that comes later: {needs}"


@pytest.mark.parametrize("page", PAGES, ids=number_of)
def test_two_minutes_are_enough(page: Path):
    text = " ".join(cell.source for cell in cells_from_source(page).cells if cell.cell_type == "markdown")
    text = re.sub(r"```.*?```|^:::.*$|^\([\w-]+\)=$|\]\([^)]*\)|[|*`#]", " ", text, flags=re.S | re.M)
    words = len(re.findall(r"[\w.’'-]*\w", text))
    assert words <= WORDS_IN_TWO_MINUTES, f"{page.name} has {words} words; two minutes hold {WORDS_IN_TWO_MINUTES}"


def test_the_index_says_how_long():
    assert "**Time** two minutes for each page" in (TOOLKIT / "index.md").read_text(encoding="utf-8")


# --- every sign, word and piece of Python ------------------------------------------------------------------------------------


def used_on() -> dict[str, dict[str, set[str]]]:
    """Return {kind: {construct: the chapter pages that use it}}."""
    used: dict[str, dict[str, set[str]]] = {kind: {} for kind in KINDS}
    for page in CHAPTERS:
        for kind, found in constructs_of(page).items():
            for construct in found:
                used[kind].setdefault(construct, set()).add(page_name(page))
    return used


def missing_entries(used: dict[str, dict[str, set[str]]]) -> list[str]:
    """Return a sentence for each construct that is used and explained nowhere."""
    return [
        f"{', '.join(sorted(pages))} uses {construct} and nothing explains it. Explain it, or teach it on a toolkit page, then say where "
        f"in tests/toolkit_map.yml under {kind}."
        for kind in KINDS
        for construct, pages in sorted(used[kind].items())
        if construct not in MAP[kind]
    ]


def entry(kind: str, construct: str) -> tuple[str, str | None]:
    """Return (anchor, how it is written there, or None for the construct itself)."""
    place = MAP[kind][construct]
    return tuple(place) if isinstance(place, list) else (place, None)


ENTRIES = [(kind, construct) for kind in KINDS for construct in MAP[kind]]


def code_in(text: str) -> str:
    """Return what a text holds in code font and in code cells."""
    fences = re.findall(r"^```\{code-cell\} python\n---\n.*?\n---\n(.*?)^```", text, flags=re.S | re.M)
    rest = re.sub(r"^```.*?^```", " ", text, flags=re.S | re.M)
    return "\n".join([*fences, *re.findall(r"``.+?``|`[^`\n]+`", rest)])


def holds(kind: str, construct: str, written: str | None, text: str) -> bool:
    """Whether an explanation really holds the construct it is said to explain."""
    if written is not None:
        return " ".join(written.split()) in " ".join(text.split())
    if kind == "formulas":
        return construct in signs_in_text(text) or construct in re.findall(r"\b[A-Z]{2,}\b", text)
    if kind == "words":
        return construct in words_in_text(text)
    return construct.rstrip("=") in code_in(text)


def test_nothing_is_left_over():
    missing = missing_entries(used_on())
    assert not missing, "\n" + "\n".join(missing)


def test_no_entry_is_unused():
    used = used_on()
    unused = [f"{kind}: {construct}" for kind, construct in ENTRIES if construct not in used[kind]]
    assert not unused, f"No chapter uses these any more. Take them out of tests/toolkit_map.yml: {unused}"


@pytest.mark.parametrize(("kind", "construct"), ENTRIES)
def test_the_explanation_is_there(kind: str, construct: str):
    anchor, written = entry(kind, construct)
    assert anchor in places(), f"tests/toolkit_map.yml sends {construct} to {anchor}, and no page has such a heading."
    assert holds(kind, construct, written, places()[anchor]), f"{anchor} is said to explain {construct}, and does not hold {written or construct}."


def index_rows() -> dict[str, str]:
    """Return {toolkit anchor: all the index says in the rows that lead there}."""
    rows: dict[str, str] = {}
    for line in (TOOLKIT / "index.md").read_text(encoding="utf-8").splitlines():
        for anchor in re.findall(r"\(#(toolkit-\d\d)\)", line):
            rows[anchor] = rows.get(anchor, "") + line + "\n"
    return rows


@pytest.mark.parametrize(("kind", "construct"), [item for item in ENTRIES if re.fullmatch(r"toolkit-\d\d", entry(*item)[0])])
def test_the_index_leads_there(kind: str, construct: str):
    anchor, written = entry(kind, construct)
    rows = index_rows().get(anchor, "")
    if kind == "python":
        found = construct.split(".")[-1].rstrip("=") in code_in(rows)
    elif kind == "formulas":
        found = construct in signs_in_text(rows) or construct in rows
    else:
        found = construct in words_in_text(rows)
    assert found, f"A reader stuck on {construct} does not find it in toolkit/index.md in a row that leads to {anchor}."


@pytest.mark.parametrize("page", CHAPTERS, ids=page_name)
def test_a_chapter_links_to_what_it_uses(page: Path):
    linked = set(re.findall(r"\(#(toolkit(?:-\w+)?)\)", page.read_text(encoding="utf-8")))
    needed: dict[str, list[str]] = {}
    for kind in ("formulas", "words"):
        for construct in sorted(constructs_of(page)[kind] & set(MAP[kind])):
            anchor, _ = entry(kind, construct)
            if re.fullmatch(r"toolkit-\d\d", anchor):
                needed.setdefault(anchor, []).append(construct)
    lacking = [f"{anchor} (for {', '.join(needed[anchor])})" for anchor in sorted(needed) if anchor not in linked]
    # Chapter 12 takes nothing for granted. The other pages build on it, and may send a reader to the index instead.
    may_use_index = page.stem != "12-is-that-score-real"
    assert not lacking or (may_use_index and "toolkit" in linked), (
        f"{page_name(page)} uses these and does not link to their pages{' or to the index, #toolkit' if may_use_index else ''}: {'; '.join(lacking)}"
    )


def test_the_guard_can_fail():
    signs = signs_in_formula(r"\oint \sqrt{\hat{q}} \,dx")
    assert {r"\oint", r"\sqrt", r"\hat", "q", "d", "x"} == signs
    assert {"lambda", "*", "sorted", "key="} <= python_in("sorted(values, key=lambda value: value * 2)", {})
    assert python_in("import math\nmath.hypot(3, 4)", {}) == {"import", "math.hypot"}
    assert words_in_text("The logarithm of a product.") == {"logarithm", "product"}
    used = {"formulas": {r"\oint": {"chapters/new"}}, "words": {}, "python": {"lambda": {"chapters/new"}}}
    sentences = missing_entries(used)
    assert len(sentences) == 2 and all("chapters/new uses" in sentence and "nothing explains it" in sentence for sentence in sentences)
    assert not holds("words", "logarithm", None, places()["toolkit-06"])
    assert not holds("python", "math.comb", None, places()["toolkit-06"])
    assert not holds("formulas", r"\sum", None, places()["toolkit-06"])
    assert set(MAP["words"]) <= set(WORDS), "A word in the map needs its forms in constructs.WORDS."


# --- links, on the built site ------------------------------------------------------------------------------------------------


@functools.cache
def soup(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def article(path: Path) -> Tag:
    return soup(path).select_one("article.bd-article")


def built_pages(site: Path) -> list[Path]:
    return [path for folder in ("chapters", "toolkit", "answers") for path in sorted((site / folder).rglob("*.html"))]


def links(path: Path, within: Tag) -> Iterator[tuple[Tag, Path, str]]:
    """Yield (link, file it leads to, fragment) for the links of an element that stay on the site."""
    for link in within.select("a[href]"):
        address = urlsplit(link["href"])
        if not address.scheme and not address.netloc:
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            yield link, target, unquote(address.fragment)


def section_ids(section: Tag) -> set[str]:
    """All the names of a section: Sphinx writes further ones as empty elements in front of its heading."""
    names = {section["id"]} if section.get("id") else set()
    for child in section.find_all(True, recursive=False):
        if re.fullmatch(r"h[1-6]", child.name):
            break
        names |= {child["id"]} if child.get("id") else set()
    return names


def toolkit_page(site: Path, page: Path) -> Path:
    return site / "toolkit" / f"{page.stem}.html"


@pytest.mark.parametrize("page", PAGES, ids=number_of)
def test_links_go_both_ways(site: Path, page: Path):
    here = toolkit_page(site, page)
    listed = article(here).select_one("ul.used-in")
    assert listed, f"{page.name} has no list of where it is used"
    back = {(target, fragment) for _, target, fragment in links(here, listed)}
    assert any(target.parent.name == "chapters" for target, _ in back), f"no chapter links to {page.name}"

    for source in built_pages(site):
        if source.parent == here.parent:
            continue
        for link, target, _ in links(source, article(source)):
            if target == here:
                around = [section_ids(section) for section in link.find_parents("section")]
                assert any((source, name) in back for names in around for name in names), (
                    f"{source.relative_to(site)} links to {page.name} in {sorted(around[0])}, and the page does not link back there"
                )

    for source, fragment in back:
        section = next((section for section in article(source).select("section") if fragment in section_ids(section)), None)
        assert section, f"{page.name} links back to #{fragment} of {source.relative_to(site)}, which is no section there"
        assert any(target == here for _, target, _ in links(source, section)), f"{page.name} is not used in #{fragment} of {source.name}"


def test_no_toolkit_link_is_dead(site: Path):
    dead = []
    for source in built_pages(site):
        for link, target, fragment in links(source, article(source)):
            if "toolkit" not in (source.parent.name, target.parent.name):
                continue
            if not target.is_file() or (fragment and target.suffix == ".html" and not soup(target).find(id=fragment)):
                dead.append(f"{source.relative_to(site)}: {link['href']}")
    assert not dead, dead


def test_the_index_leads_to_every_page(site: Path):
    index = site / "toolkit" / "index.html"
    led = {target for _, target, _ in links(index, article(index))}
    assert [page.name for page in PAGES if toolkit_page(site, page) not in led] == []


# --- in a browser ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", PAGES, ids=number_of)
def test_one_screen_of_prose(site: Path, page: Page, source: Path):
    """Paragraphs, lists, tables and formulas fit on one screen; headings, code, charts, the folded answer and the list of uses are not prose."""
    page.goto(toolkit_page(site, source).as_uri())
    height = page.evaluate(
        """() => {
          const set_aside = '.cell, figure, details, .used-in';
          const inner = 'p, ul, ol, table, div.math';
          return [...document.querySelectorAll('article.bd-article :is(p, ul, ol, table, div.math)')]
            .filter(part => !part.closest(set_aside) && !part.parentElement.closest(inner))
            .map(part => part.getBoundingClientRect().height + parseFloat(getComputedStyle(part).marginBottom))
            .reduce((total, height) => total + height, 0);
        }"""
    )
    assert 200 < height <= SCREEN_HEIGHT, f"{source.name}: {height:.0f} px of prose at 1280 px; a screen holds {SCREEN_HEIGHT}"


def test_to_square_roots_and_back_in_two_clicks(served_site: str, page: Page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{served_site}/chapters/12-is-that-score-real.html#formula-12-4")
    formula = page.locator("section:has(> #formula-12-4), section#formula-12-4").last
    formula.get_by_role("link", name="Toolkit 6").first.click()
    expect(page).to_have_title(re.compile("square roots", re.I))
    back = page.locator("ul.used-in").get_by_role("link", name=re.compile("Formula 12.4"))
    assert back.bounding_box()["width"] <= 390
    back.click()
    expect(page).to_have_url(re.compile(r"12-is-that-score-real\.html#formula-12-4"))
    expect(page.get_by_role("heading", name=re.compile("Formula 12.4"))).to_be_in_viewport()


# --- the {used-in} directive ------------------------------------------------------------------------------------------------


def build(folder: Path, *options: str) -> str:
    """Build the small book in `folder`; return what Sphinx says."""
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-n", *options, str(folder), str(folder / "out")]
    done = subprocess.run(command, capture_output=True, text=True)
    return f"{done.stdout}{done.stderr}\nexit {done.returncode}"


def used_in_list(folder: Path, name: str = "tools/roots") -> list[tuple[str, str]]:
    page = BeautifulSoup((folder / "out" / f"{name}.html").read_text(encoding="utf-8"), "html.parser")
    return [(link["href"], link.get_text()) for link in page.select("ul.used-in a")]


@pytest.fixture
def small_book(tmp_path: Path) -> Path:
    (tmp_path / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / '_ext')!r})\nextensions = ['myst_parser', 'used_in']\nmyst_enable_extensions = ['colon_fence']\n"
    )
    (tmp_path / "tools").mkdir()
    pages = {
        "index": "# Book\n\n```{toctree}\none\ntwo\ntools/roots\ntools/powers\n```\n",
        "one": "(one)=\n# One\n\n(first)=\n## First *part*\n\n[Roots](#tool-roots) and again [roots](#tool-roots).\n\n### No label\n\nHere too: {ref}`tool-roots`.\n",
        "two": "(two)=\n# Two\n\nNothing yet.\n",
        "tools/roots": "(tool-roots)=\n# Roots\n\nSee [powers](#tool-powers).\n\n```{used-in}\nOn the site.\n```\n",
        "tools/powers": "(tool-powers)=\n# Powers\n\nSee [roots](#tool-roots).\n",
    }
    for name, text in pages.items():
        (tmp_path / f"{name}.md").write_text(text)
    return tmp_path


@pytest.mark.parametrize("options", [("-W",), ("-W", "-j", "2")], ids=["alone", "parallel"])
def test_used_in_lists_labelled_sections_once(small_book: Path, options: tuple[str, ...]):
    assert "exit 0" in build(small_book, *options)
    assert used_in_list(small_book) == [("../one.html#first", "First part")]
    assert "On the site." not in (small_book / "out" / "tools" / "roots.html").read_text()


def test_used_in_follows_edits_of_other_pages(small_book: Path):
    build(small_book)
    (small_book / "two.md").write_text("(two)=\n# Two\n\n(second)=\n## Second\n\nSee [roots](#tool-roots).\n")
    assert "exit 0" in build(small_book, "-W")
    assert used_in_list(small_book) == [("../one.html#first", "First part"), ("../two.html#second", "Second")]
    (small_book / "one.md").write_text("(one)=\n# One\n\n(first)=\n## First\n\nNo link.\n")
    assert "exit 0" in build(small_book, "-W")
    assert used_in_list(small_book) == [("../two.html#second", "Second")]
    (small_book / "two.md").write_text("(two)=\n# Two\n\n(second)=\n## Renamed\n\nSee [roots](#tool-roots).\n")
    assert "exit 0" in build(small_book, "-W")
    assert used_in_list(small_book) == [("../two.html#second", "Renamed")]
    (small_book / "two.md").unlink()
    (small_book / "index.md").write_text("# Book\n\n```{toctree}\none\ntools/roots\ntools/powers\n```\n")
    assert used_in_list(small_book) and "nothing links to this page" in build(small_book)
    assert used_in_list(small_book) == []


def test_used_in_leaves_other_pages_alone(small_book: Path):
    build(small_book)
    written = {path: path.stat().st_mtime_ns for path in (small_book / "out").rglob("*.html")}
    (small_book / "two.md").write_text("(two)=\n# Two\n\nStill nothing.\n")
    build(small_book)
    assert written[small_book / "out" / "tools" / "roots.html"] == (small_book / "out" / "tools" / "roots.html").stat().st_mtime_ns


def test_used_in_warns_about_a_page_nobody_links_to(small_book: Path):
    (small_book / "one.md").write_text("(one)=\n# One\n\nNo link.\n")
    said = build(small_book, "-W", "--keep-going")
    assert "nothing links to this page" in said and "roots.md" in said and "exit 1" in said
