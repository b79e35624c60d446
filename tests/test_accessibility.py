"""Every page by axe, light and dark; the interactive elements by keyboard, at 320 px, in print and without scripts."""

from __future__ import annotations

import importlib.resources
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Locator, Page, expect

from elements import FALLBACK, MARKUP, SCRIPTS, page_with, settled, write_page
from notebooks import page_name, page_notebooks

AXE = importlib.resources.files("axe_playwright_python") / "axe.min.js"
THEMES = ("light", "dark")

# KaTeX draws each formula from hundreds of boxes that are hidden from assistive technology; beside them stands the same
# formula in MathML, which axe does see. Without those boxes the chapter takes a second, with them half a minute.
# All of axe's rules: WCAG 2.2 at A and AA, and its best practices. Inside the elements also what AAA asks of contrast.
RUN_AXE = """async ([scope, enabled, only]) => {
  const rules = Object.fromEntries(enabled.map(rule => [rule, {enabled: true}]));
  const context = {include: scope ? [scope] : ["html"], exclude: [".katex-html"]};
  const which = only ? {runOnly: {type: "rule", values: only}} : {rules};
  const {violations} = await axe.run(context, {resultTypes: ["violations"], ...which});
  return violations.map(({id, impact, help, nodes}) => `${id} (${impact}): ${help}: ${nodes.map(node => `${node.target} ${node.failureSummary}`).join(" | ")}`);
}"""
EVERYWHERE = ["target-size", "label-content-name-mismatch"]
IN_ELEMENTS = [*EVERYWHERE, "color-contrast-enhanced"]


def set_theme(page: Page, theme: str) -> None:
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; document.documentElement.dataset.mode = theme }", theme)
    page.evaluate("Promise.all(document.getAnimations().map(animation => animation.finished.catch(() => {})))")


def violations(page: Page, scope: str | None = None, colours_only: bool = False) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(content=AXE.read_text(encoding="utf-8"))
    return page.evaluate(RUN_AXE, [scope, IN_ELEMENTS if scope else EVERYWHERE, ["color-contrast", "link-in-text-block"] if colours_only else None])


def use(element: Locator) -> None:
    """Use an element as far as it goes, so that everything it can show is there to be judged."""
    match element.evaluate("element => element.localName"):
        case "resample-lab":
            settled(element, lambda: element.get_by_role("button", name="Draw all 10,000").click())
            element.get_by_text("Table of the counts").click()
        case "set-size-lab":
            settled(element, lambda: element.get_by_role("button", name="Draw one").click())
            settled(element, lambda: element.get_by_role("button", name="Draw all 10,000").click())
            element.get_by_role("slider").focus()
            settled(element, lambda: element.page.keyboard.press("End"))
        case "score-checker":
            element.get_by_label("Right answers", exact=True).fill("10")
            element.get_by_label("Questions asked").fill("10")
            expect(element.get_by_role("status")).to_contain_text("10 of 10")


def trouble(element: Locator) -> None:
    """Bring an element into the state in which something is wrong."""
    match element.evaluate("element => element.localName"):
        case "resample-lab":
            element.get_by_label("Seed", exact=True).fill("x")
        case "score-checker":
            element.get_by_label("a percentage").check()
            element.get_by_label("Percentage", exact=True).fill("87.3")
            element.get_by_label("Questions asked").fill("20")
            expect(element.get_by_role("button", name="Use 17 of 20")).to_be_visible()
            element.get_by_label("Questions asked").fill("x")


# ---- Every page of the site


@pytest.fixture(scope="module")
def site_page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    yield page
    page.close()


PAGES = sorted(
    ["index.html", "status.html", "instructors.html", "search.html", "genindex.html", "404.html"]
    + [f"{name}.html" for name in map(page_name, page_notebooks()) if not name.startswith("answers/key/")]
)


def test_no_page_is_left_out(site: Path) -> None:
    assert PAGES == sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html") if "_static" not in path.parts)


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(site: Path, site_page: Page, name: str) -> None:
    """Every rule in light mode; in dark mode, where only colours differ, every rule about colour."""
    site_page.goto((site / name).as_uri())
    set_theme(site_page, "light")
    assert violations(site_page) == []
    set_theme(site_page, "dark")
    assert violations(site_page, colours_only=True) == []


@pytest.mark.parametrize("name", MARKUP)
def test_axe_on_the_site_after_use(site: Path, page: Page, name: str) -> None:
    page.goto(page_with(site, name).as_uri())
    use(page.locator(name))
    for theme in THEMES:
        set_theme(page, theme)
        assert violations(page, name) == [], theme


# ---- The theme's own controls


def test_one_sees_where_the_focus_is_on_the_way_to_the_text(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    stops = set()
    for _ in range(20):
        page.keyboard.press("Tab")
        name, outline = page.evaluate(
            """() => { const node = document.activeElement, shown = node.querySelector(":scope > .toctree-toggle") ?? node;
                 return [node.ariaLabel ?? node.textContent.trim(), getComputedStyle(shown).outline] }"""
        )
        stops.add(name)
        assert "solid 3px" in outline, name
    assert {"Practice problems", "Show or hide the pages of this part", "Toggle primary sidebar", "Download this page", "Color mode"} <= stops


def test_dialogs_have_names_and_give_the_place_back(site: Path, page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto((site / "instructors.html").as_uri())
    for button, name in [(".primary-toggle", "Pages of the course"), (".secondary-toggle", "On this page"), (".search-button", "Search")]:
        page.locator(button).focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog", name=name, exact=True)).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        expect(page.locator(button)).to_be_focused()


def test_the_theme_button_can_be_pressed_again_and_again(site: Path, page: Page) -> None:
    page.goto((site / "404.html").as_uri())
    page.locator(".theme-switch-button").focus()
    modes = []
    for _ in range(3):
        page.keyboard.press("Enter")
        modes.append(page.evaluate("document.documentElement.dataset.mode"))
    assert sorted(modes) == ["auto", "dark", "light"]
    page.locator(".theme-switch-button").click()
    page.mouse.move(600, 500)
    expect(page.get_by_role("tooltip")).to_be_hidden()  # it goes with the mouse


@pytest.mark.parametrize("scheme", THEMES)
def test_high_contrast_leaves_every_icon_and_chart_visible(site: Path, browser: Browser, scheme: str) -> None:
    """In the system's colours, also where the reader has chosen the other theme of the site."""
    page = browser.new_page(forced_colors="active", color_scheme=scheme)
    page.goto((site / "index.html").as_uri())
    set_theme(page, "light" if scheme == "dark" else "dark")
    icons = [icon for icon in page.locator("i, span.fa-solid").all() if icon.is_visible()]
    assert len(icons) >= 5
    for icon in icons:
        picture = Image.open(io.BytesIO(icon.screenshot())).convert("L")
        darkest, brightest = picture.getextrema()
        assert brightest - darkest > 120, icon.get_attribute("class")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for shape, property in [(".axis line", "stroke"), (".interval", "stroke"), (".cap", "stroke"), ("svg text", "fill")]:
        colour = page.locator(f"score-checker {shape}").first.evaluate("(node, property) => getComputedStyle(node)[property]", property)
        assert contrast(colour, paper) >= 7, shape
    page.close()


# ---- The elements by themselves


@pytest.fixture(params=list(MARKUP))
def element(request: pytest.FixtureRequest, page: Page, tmp_path: Path) -> Locator:
    page.goto(write_page(tmp_path, MARKUP[request.param]))
    return page.locator(request.param)


@pytest.mark.parametrize("theme", THEMES)
def test_axe_on_an_element_before_and_after_use(element: Locator, theme: str) -> None:
    page = element.page
    if theme == "dark":
        page.add_style_tag(content=":root { color-scheme: dark; background: #14181e; --pst-color-background: #14181e; --pst-color-text-base: #ced6dd; color: #ced6dd }")
    set_theme(page, theme)
    scope = element.evaluate("element => element.localName")
    for step in (lambda: None, lambda: use(element), lambda: trouble(element)):
        step()
        assert violations(page, scope) == []


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_no_sideways_scrolling(element: Locator, width: int) -> None:
    page = element.page
    page.set_viewport_size({"width": width, "height": 700})
    for step in (lambda: None, lambda: use(element), lambda: trouble(element)):
        step()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        # Nothing sticks out of the element's own frame either.
        outside = element.evaluate(
            """element => { const frame = element.getBoundingClientRect();
               return [...element.querySelectorAll(".score-lab *")].filter(node => !node.closest(".score-lab-spoken, [hidden]"))
                 .filter(node => { const box = node.getBoundingClientRect(); return box.width && (box.right > frame.right + 0.5 || box.left < frame.left - 0.5) })
                 .map(node => node.outerHTML.slice(0, 120)) }"""
        )
        assert outside == []


def test_text_twice_as_large_still_fits(element: Locator) -> None:
    page = element.page
    page.set_viewport_size({"width": 640, "height": 700})
    page.add_style_tag(content=":root { font-size: 200% }")
    use(element)
    assert page.evaluate("document.documentElement.scrollWidth") <= 640


def outlines_while_tabbing(page: Page, element: Locator, steps: int) -> list[tuple[str, str]]:
    """Press Tab again and again; return what has the focus and its outline, for as long as it is inside the element."""
    found = []
    for _ in range(steps):
        page.keyboard.press("Tab")
        here = element.evaluate(
            """element => { const node = document.activeElement; if (!element.contains(node)) return null;
               const style = getComputedStyle(node);
               return [node.labels?.[0]?.textContent ?? node.textContent, `${style.outlineStyle} ${style.outlineWidth} ${style.outlineColor}`] }"""
        )
        if here is None:
            break
        found.append(tuple(here))
    return found


STOPS = {
    "resample-lab": ["Draw once", "Draw 100", "Draw 1,000", "Draw all 10,000", "Start again", "Seed", "fresh draws, without a seed", "Table of the counts"],
    "set-size-lab": ["Draw one", "Draw a hundred", "Draw all 10,000", "Start again", "Copies of the set"],
    "score-checker": ["a count of right answers", "Right answers", "Questions asked", "95 percent", "Copy the sentence"],
}


def test_the_tab_key_stops_at_every_control_in_order_and_one_sees_where(element: Locator) -> None:
    walked = outlines_while_tabbing(element.page, element, 30)
    assert [name for name, _ in walked] == STOPS[element.evaluate("element => element.localName")]
    assert {outline for _, outline in walked} == {"solid 3px rgb(0, 114, 178)"}


def test_a_keyboard_walk_through_the_simulation(page: Page, tmp_path: Path) -> None:
    page.goto(write_page(tmp_path, MARKUP["resample-lab"]))
    lab, status = page.locator("resample-lab"), page.get_by_role("status")
    page.keyboard.press("Tab")
    settled(lab, lambda: page.keyboard.press("Enter"))
    expect(status).to_have_text("1 resample drawn. The last one scored 25.0 percent.")
    settled(lab, lambda: page.keyboard.press("Space"))
    expect(status).to_have_text("2 resamples drawn. The last one scored 15.0 percent.")
    for _ in range(3):
        page.keyboard.press("Tab")
    settled(lab, lambda: page.keyboard.press("Enter"))
    expect(status).to_have_text("10,000 resamples drawn. 95 percent of them scored 5.0 to 45.0 percent.")
    assert page.evaluate("document.activeElement.textContent") == "Draw all 10,000"  # the place is kept, though nothing is left to draw
    for _ in range(4):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("table")).to_be_visible()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    expect(page.get_by_role("checkbox")).to_be_checked()


def test_a_keyboard_walk_through_the_set_sizes(page: Page, tmp_path: Path) -> None:
    page.goto(write_page(tmp_path, MARKUP["set-size-lab"]))
    lab, status = page.locator("set-size-lab"), page.get_by_role("status")
    page.keyboard.press("Tab")
    settled(lab, lambda: page.keyboard.press("Enter"))
    expect(status).to_have_text("1 resample drawn. The last one: 21 of 30 right, accuracy 0.7000.")
    for _ in range(4):
        page.keyboard.press("Tab")
    for expected in ("n = 60", "n = 120", "n = 240", "n = 480"):
        settled(lab, lambda: page.keyboard.press("ArrowRight"))
        expect(status).to_contain_text(expected)
    settled(lab, lambda: page.keyboard.press("Home"))
    expect(status).to_have_text("n = 30: from 0.5333 to 0.8667, width 0.3333.")


def test_a_keyboard_walk_through_the_score_checker(page: Page, tmp_path: Path) -> None:
    page.goto(write_page(tmp_path, MARKUP["score-checker"]))
    status = page.get_by_role("status")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("12")  # Tab has selected what stood there
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(status).to_have_text("12 of 20 questions right: 60.0 percent, 99% interval 32.9 to 82.1 percent (Wilson).")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(status).to_have_text("Copied.")
    for _ in range(4):
        page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.type("87.3")
    expect(status).to_have_text("87.3 percent of 20 questions cannot happen; the nearest scores are 85 and 90.")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(status).to_contain_text("17 of 20 questions right: 85.0 percent")


def test_one_polite_live_region(element: Locator) -> None:
    """It is there before anything is said, and speaks the result of a run, not every draw."""
    regions = element.locator("[aria-live], [role=status], [role=alert], [role=log], output")
    assert regions.count() == 1
    region = element.get_by_role("status")
    assert region.inner_text() == ""
    region.evaluate("node => { node.said = []; new MutationObserver(() => node.said.push(node.textContent)).observe(node, {childList: true, characterData: true, subtree: true}) }")
    if element.evaluate("element => element.localName") != "score-checker":
        settled(element, lambda: element.get_by_role("button", name="Draw all 10,000").click())
        assert region.evaluate("node => node.said") == [region.inner_text()]
        assert region.inner_text().startswith("10,000 resamples drawn. 95 percent of them")


def test_every_control_has_a_name_and_every_group_a_title(element: Locator) -> None:
    snapshot = element.aria_snapshot()
    assert re.search(r"^- group \"(Resample the score|One set of 30, resampled|Check a score)\":", snapshot)
    for line in snapshot.splitlines():
        assert not re.fullmatch(r"\s*- (button|textbox|radio|checkbox|slider)( \[.*\])?:?", line), line


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_reduced_motion(browser: Browser, tmp_path: Path, motion: str) -> None:
    page = browser.new_page(reduced_motion=motion)
    page.goto(write_page(tmp_path, "".join(MARKUP.values())))
    moving = page.evaluate("[...document.querySelectorAll('.score-lab *')].filter(node => getComputedStyle(node).transitionDuration !== '0s').length")
    assert (moving == 0) == (motion == "reduce")
    lab = page.locator("resample-lab")
    lab.evaluate("lab => { lab.moved = 0; lab.addEventListener('transitionrun', () => lab.moved++) }")
    settled(lab, lambda: lab.get_by_role("button", name="Draw 100").click())
    page.wait_for_timeout(300)
    assert lab.evaluate("lab => lab.moved > 0") == (motion == "no-preference")
    page.close()


def test_print_shows_the_fallback(element: Locator) -> None:
    use(element)
    element.page.emulate_media(media="print")
    assert element.get_by_text("What shows where scripts do not run.").is_visible()
    assert not element.locator(".score-lab").is_visible()


def test_without_scripts_the_fallback_shows(browser: Browser, tmp_path: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(write_page(tmp_path, "".join(MARKUP.values())))
    shown = page.get_by_text("What shows where scripts do not run.")
    assert shown.count() == FALLBACK.count("<p>") * len(MARKUP)
    assert all(each.is_visible() for each in shown.all())
    context.close()


@pytest.mark.parametrize("missing", ["shared.js", "numpy-random.js"])
def test_where_a_script_does_not_come_the_fallback_stays(page: Page, tmp_path: Path, missing: str) -> None:
    page.goto(write_page(tmp_path, MARKUP["resample-lab"] + MARKUP["set-size-lab"], [script for script in SCRIPTS if script.name != missing]))
    assert [shown.is_visible() for shown in page.get_by_text("What shows where scripts do not run.").all()] == [True, True]
    assert page.get_by_role("button").count() == 0


def luminance(colour: str) -> float:
    """Relative luminance of an rgb(...) colour, as WCAG 2 defines it."""
    channels = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize(("theme", "paper"), [("light", "rgb(255, 255, 255)"), ("dark", "rgb(18, 18, 18)"), ("dark", "rgb(20, 24, 30)")])
def test_shapes_stand_out_three_to_one(page: Page, tmp_path: Path, theme: str, paper: str) -> None:
    page.goto(write_page(tmp_path, "".join(MARKUP.values())))
    set_theme(page, theme)
    if theme == "dark":
        page.add_style_tag(content=":root { --pst-color-background: #14181e; --pst-color-text-base: #ced6dd }")
    for name in MARKUP:
        use(page.locator(name))
    outlines = {
        **dict.fromkeys([".bars rect", ".band-edge", ".measured", ".interval", ".axis line", ".cross", ".cap", ".wall", ".wrong", ".right"], "stroke"),
        "resample-lab": "borderTopColor",
        "button.quiet": "borderTopColor",
        "input[type=text]": "borderTopColor",
        ".drawn": "borderTopColor",
    }
    for selector, property in outlines.items():
        colours = page.evaluate("([selector, property]) => [...document.querySelectorAll(selector)].map(node => getComputedStyle(node)[property])", [selector, property])
        assert colours, selector
        for colour in set(colours):
            assert contrast(colour, paper) >= 3, (selector, colour, paper)
