"""<score-checker> against statsmodels, scipy and plain enumeration, for whatever a reader types."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from urllib.parse import urlencode

import numpy
import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint, samplesize_confint_proportion

from elements import MARKUP, address_of, element, served_site, table_rows, watch_errors, write_page

__all__ = ["address_of", "served_site"]  # fixtures

LEVELS = [90, 95, 99]
SIZES = [1, 2, 10, 20, 58, 164, 1000]

# Types a list of scores into the boxes, one after another, and collects what the element shows for each.
TYPE_ALL = """(checker, [kind, level, pairs]) => {
  const label = text => [...checker.querySelectorAll("label")].find(label => label.textContent === text);
  const box = text => document.getElementById(label(text).htmlFor);
  const choose = text => { if (!box(text).checked) box(text).click() };
  const type = (text, value) => { box(text).value = value; box(text).dispatchEvent(new Event("input")) };
  choose(kind === "right" ? "a count of right answers" : "a percentage");
  choose(`${level} percent`);
  return pairs.map(([first, asked]) => {
    type("Questions asked", asked);
    type(kind === "right" ? "Right answers" : "Percentage", first);
    const shown = node => node && !node.closest("[hidden]") ? node.textContent : null;
    return {
      sentence: shown(checker.querySelector(".publish .sentence")),
      impossible: shown(checker.querySelector(".impossible .sentence")),
      warnings: [...checker.querySelectorAll(".warnings li")].map(shown).filter(text => text !== null),
      rows: [...checker.querySelectorAll("tbody tr")].map(row => [...row.cells].map(cell => cell.textContent)),
      needed: shown(checker.querySelector(".output > .note")),
      text: checker.querySelector(".output").textContent,
    };
  });
}"""


@pytest.fixture
def checker(page: Page, tmp_path: Path) -> Locator:
    page.goto(write_page(tmp_path, MARKUP["score-checker"] + '<h2 id="section-12-4">Past 100 percent</h2><a href="#section-12-4">there</a>'))
    return page.locator("score-checker")


@pytest.fixture(scope="module")
def one_checker(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Locator:
    page = browser.new_page()
    page.clock.install()  # so that hear() need not wait
    page.goto(write_page(tmp_path_factory.mktemp("checker"), MARKUP["score-checker"]))
    yield page.locator("score-checker")
    page.close()


def hear(one_checker: Locator) -> str:
    """Return what is spoken once the reader has stopped typing for a while."""
    one_checker.page.clock.run_for(2000)
    return one_checker.get_by_role("status").inner_text()


def type_score(checker: Locator, right: str | None = None, asked: str | None = None, percentage: str | None = None) -> None:
    if percentage is not None:
        checker.get_by_label("a percentage").check()
        checker.get_by_label("Percentage", exact=True).fill(percentage)
    if right is not None:
        checker.get_by_label("Right answers", exact=True).fill(right)
    if asked is not None:
        checker.get_by_label("Questions asked").fill(asked)


def sentence(checker: Locator) -> str:
    return checker.locator(".publish .sentence").inner_text()


def shown(share: float) -> str:
    """A share in percent with one decimal and a real minus sign, as the element prints it."""
    text = f"{100 * share:.1f}"
    return "0.0" if float(text) == 0 else text.replace("-", "−")


def number(text: str) -> float:
    return float(text.replace("−", "-"))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("asked", SIZES)
def test_intervals_equal_statsmodels(one_checker: Locator, asked: int, level: int) -> None:
    alpha = 1 - level / 100
    answers = one_checker.evaluate(TYPE_ALL, ["right", level, [[str(right), str(asked)] for right in range(asked + 1)]])
    every = numpy.arange(asked + 1)
    wilson = numpy.transpose(proportion_confint(every, asked, alpha, method="wilson"))
    cut_off = {
        name: numpy.transpose(proportion_confint(every + more, asked + 2 * more, alpha, method="normal")) for name, more in (("Wald", 0), ("Plus four", 2))
    }
    z = norm.ppf(1 - alpha / 2)
    for right, answer in enumerate(answers):
        rows = {row[0][: len(name)]: row for row in answer["rows"] for name in ("Wilson", "Wald", "Plus four") if row[0].startswith(name)}
        assert list(rows) == ["Wilson", "Wald", "Plus four"]

        low, high = wilson[right]
        assert rows["Wilson"][1:] == [shown(low), shown(high), shown(high - low)], right
        assert 0 <= number(rows["Wilson"][1]) <= number(rows["Wilson"][2]) <= 100
        score = Fraction(100 * right, asked)
        questions = "question" if asked == 1 else "questions"
        start, rest = answer["sentence"].split(": ")
        assert start == f"{right:,} of {asked:,} {questions} right"
        printed, rest = rest.split(" percent, ", 1)
        assert abs(Fraction(printed) - score) <= Fraction(1, 20)
        assert rest == f"{level}% interval {shown(low)} to {shown(high)} percent (Wilson)."

        # statsmodels cuts Wald off at 0 and 1, the element shows the whole interval.
        for name, x, n in (("Wald", right, asked), ("Plus four", right + 2, asked + 4)):
            margin = z * math.sqrt(x / n * (1 - x / n) / n)
            low, high = x / n - margin, x / n + margin
            assert rows[name][1:] == [shown(low), shown(high), shown(high - low)], (name, right)
            assert [shown(min(max(number(cell) / 100, 0), 1)) for cell in rows[name][1:3]] == [shown(end) for end in cut_off[name][right]]
            assert ("starts below 0" in rows[name][0], "ends above 100" in rows[name][0]) == (low < 0, high > 1)
            assert ("impossible" in rows[name][0]) == (low < 0 or high > 1)
        assert ("width zero" in rows["Wald"][0]) == (right in (0, asked))

        few = answer["warnings"][-1] if answer["warnings"] else ""
        assert ("do not trust the Wald interval" in few) == (right < 10 or asked - right < 10)
        assert (f"{right} right" in few, f"{asked - right} wrong" in few) == (right < 10, asked - right < 10)
        for broken in ("-0.0", "−0.0", "NaN", "undefined", "Infinity"):
            assert broken not in answer["text"]


def test_the_chapters_numbers(page: Page, address_of: Callable[[str], str]) -> None:
    errors = watch_errors(page)
    page.goto(address_of("score-checker"))
    checker = page.locator("score-checker")
    assert sentence(checker) == "5 of 20 questions right: 25.0 percent, 95% interval 11.2 to 46.9 percent (Wilson)."
    assert table_rows(checker.get_by_role("table"))[1][1:3] == ["6.0", "44.0"]
    type_score(checker, right="20")
    assert table_rows(checker.get_by_role("table"))[2] == ["Plus fourends above 100: impossible", "80.6", "102.7", "22.1"]
    assert errors == []


@pytest.mark.parametrize("level", LEVELS)
def test_the_critical_value_is_the_normal_quantile(one_checker: Locator, level: int) -> None:
    """With 1.96 instead of 1.959964 the printed digits are the same for our own run."""
    [answer] = one_checker.evaluate(TYPE_ALL, ["right", level, [["500000", "1000000"]]])
    half = norm.ppf(0.5 + level / 200) * 0.0005
    assert answer["rows"][1][1:3] == [shown(0.5 - half), shown(0.5 + half)]
    if level == 95:
        assert [shown(0.25 - 1.96 * math.sqrt(0.1875 / 20)), shown(0.25 + 1.96 * math.sqrt(0.1875 / 20))] == ["6.0", "44.0"]


@pytest.mark.parametrize("level", LEVELS)
def test_how_many_questions(one_checker: Locator, level: int) -> None:
    def needed(half: float, share: float) -> int:
        return math.ceil(samplesize_confint_proportion(share, half, 1 - level / 100) - 1e-9)

    pairs = [(0, 20), (1, 20), (5, 20), (10, 20), (20, 20), (3, 164), (41, 164), (900, 1000), (1, 1000)]
    answers = one_checker.evaluate(TYPE_ALL, ["right", level, [[str(right), str(asked)] for right, asked in pairs]])
    for (right, asked), answer in zip(pairs, answers, strict=True):
        share = right / asked
        text = answer["needed"]
        assert f"5 percentage points either way takes {needed(0.05, 0.5):,} questions, and to 3 percentage points {needed(0.03, 0.5):,}, at {level} percent" in text
        five = needed(0.05, share) if 0 < share < 1 else 0
        if share != 0.5 and five * min(share, 1 - share) >= 10:
            assert text.endswith(f"{five:,} and {needed(0.03, share):,} are enough.")
        else:
            assert "are enough" not in text
    if level == 95:
        assert "385 questions, and to 3 percentage points 1,068" in answers[0]["needed"]


@pytest.mark.parametrize("asked", [20, 164])
def test_every_one_decimal_percentage(one_checker: Locator, asked: int) -> None:
    """Against enumeration: a percentage can occur if some count, rounded half up or half down, is printed so."""
    typed = [f"{tenths // 10}.{tenths % 10}" for tenths in range(1001)]
    answers = one_checker.evaluate(TYPE_ALL, ["percent", 95, [[text, str(asked)] for text in typed]])
    for text, answer in zip(typed, answers, strict=True):
        distances = [abs(Fraction(100 * right, asked) - Fraction(text)) for right in range(asked + 1)]
        fitting = [right for right, distance in enumerate(distances) if distance <= Fraction(1, 20)]
        if fitting:
            assert answer["impossible"] is None, text
            nearest = min(fitting, key=lambda right: distances[right])
            assert answer["sentence"].startswith(f"{nearest} of {asked} questions right: "), text
            assert f"{text} percent of {asked} questions is {nearest} right." in answer["warnings"]
        else:
            assert answer["sentence"] is None, text
            below = max(right for right in range(asked + 1) if Fraction(100 * right, asked) < Fraction(text))
            near = [f"{100 * right / asked:.2f}".rstrip("0").rstrip(".") for right in (below, below + 1)]
            assert answer["impossible"] == f"{text} percent of {asked} questions cannot happen; the nearest scores are {near[0]} and {near[1]}."


@pytest.mark.parametrize(("asked", "places"), [(7, 0), (7, 2), (7, 3), (58, 0), (58, 2), (101, 0), (1000, 0), (1000, 1), (1, 0), (3, 1), (20, 4), (164, 4)])
def test_other_decimals(one_checker: Locator, asked: int, places: int) -> None:
    step = Fraction(1, 10**places)
    typed = [f"{float(100 * right / asked):.{places}f}" for right in range(asked + 1)][:60] + [f"{value:.{places}f}" for value in (0, 50, 87.3, 99.99, 100)]
    answers = one_checker.evaluate(TYPE_ALL, ["percent", 95, [[text, str(asked)] for text in typed]])
    for text, answer in zip(typed, answers, strict=True):
        fitting = [right for right in range(asked + 1) if abs(Fraction(100 * right, asked) - Fraction(text)) <= step / 2]
        assert (answer["impossible"] is None) == bool(fitting), text
        if len(fitting) > 1:
            assert f"fits {fitting[0]:,} to {fitting[-1]:,} right." in answer["warnings"][0]


def test_the_scores_on_either_side_can_be_taken_over(checker: Locator) -> None:
    type_score(checker, percentage="87.3")
    assert checker.get_by_text("87.3 percent of 20 questions cannot happen; the nearest scores are 85 and 90.").is_visible()
    assert not checker.get_by_role("table").is_visible()
    checker.get_by_role("button", name="Use 18 of 20").click()
    assert sentence(checker).startswith("18 of 20 questions right: 90.0 percent")
    expect(checker.get_by_label("Right answers", exact=True)).to_be_focused()


def test_changing_between_count_and_percentage_carries_the_score_over(checker: Locator) -> None:
    before = sentence(checker)
    checker.get_by_label("a percentage").check()
    assert checker.get_by_label("Percentage", exact=True).input_value() == "25.0"
    assert not checker.get_by_label("Right answers", exact=True).is_visible()
    assert sentence(checker) == before
    checker.get_by_label("a count of right answers").check()
    assert checker.get_by_label("Right answers", exact=True).input_value() == "5"


BAD_COUNTS = [
    ("", "This box is empty. Type the number of"), ("   ", "This box is empty."), ("abc", "“abc” is not a number"), ("five", "is not a number"),
    ("-3", "“-3” is negative"), ("−3", "is negative"), ("- 3", "is negative"), ("-2.5", "is negative"), ("2.5", "is not a whole number"), ("2,5", "is not a whole number"),
    (".5", "is not a whole number"), ("5.", "is not a whole number"), ("1e9", "“1e9” is shorthand"), ("1E+9", "is shorthand"), ("1.5e3", "is shorthand"),
    ("1000001", "is too many for this page"), ("1,000,001", "is too many"), ("9" * 400, "is too many"), ("1.000", "is unclear"), ("25%", "“25%” is a percentage"),
    ("25 percent", "is a percentage"), ("5/20", "is two numbers"), ("5 of 20", "is two numbers"), ("5 out of 20", "is two numbers"), ("NaN", "is not a number"),
    ("Infinity", "is not a number"), ("0x10", "is not a number"), ("٥", "is not a number"), ("<b>5</b>", "“<b>5</b>” is not a number"), ("5 5", "is not a number"),
    ("1,00", "is not a whole number"), ("--5", "is not a number"), ("+5", "is not a number"), ("e", "is not a number"), (".", "is not a whole number"),
]  # fmt: skip


def nothing_broken(checker: Locator, typed: str) -> None:
    text = checker.inner_text()
    for word in ("NaN", "undefined", "Infinity", "null"):
        assert word not in text.replace(f"“{typed}”", "")
    assert not checker.locator(".output").is_visible()
    assert not checker.locator(".impossible").is_visible()


@pytest.mark.parametrize("label", ["Right answers", "Questions asked"])
@pytest.mark.parametrize(("typed", "said"), BAD_COUNTS)
def test_a_bad_count_gets_a_sentence(one_checker: Locator, label: str, typed: str, said: str) -> None:
    checker = one_checker
    checker.get_by_label("a count of right answers").check()
    type_score(checker, right="5", asked="20")
    assert "5 of 20 questions right" in hear(checker)
    address = checker.page.url
    field = checker.get_by_label(label, exact=True)
    field.fill(typed)
    trouble = checker.page.locator(f"#{field.get_attribute('aria-describedby')}")
    assert said in trouble.inner_text()
    assert trouble.inner_text().endswith(".")
    assert field.get_attribute("aria-invalid") == "true"
    assert said in hear(checker)
    assert checker.page.url == address  # a link never carries nonsense
    nothing_broken(checker, typed)
    field.fill("20")
    assert field.get_attribute("aria-invalid") == "false"
    assert trouble.inner_text() == ""
    assert checker.locator(".output").is_visible()


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "This box is empty"), (" ", "This box is empty"), ("%", "This box is empty"), ("abc", "“abc” is not a percentage"), ("-5", "is negative"),
        ("-5%", "is negative"), ("100.1", "is more than 100"), ("250%", "is more than 100"), ("1e9", "is not a percentage"), ("1e1", "is not a percentage"),
        ("87,3", "has a comma"), ("87.3.1", "is not a percentage"), (".", "is not a percentage"), ("5/20", "is not a percentage"), ("NaN", "is not a percentage"),
        ("87.1234567", "too many decimals"), ("9" * 300, "is more than 100"), ("87 %%", "is not a percentage"), ("<i>5</i>", "is not a percentage"),
    ],
)  # fmt: skip
def test_a_bad_percentage_gets_a_sentence(one_checker: Locator, typed: str, said: str) -> None:
    checker = one_checker
    type_score(checker, percentage=typed)
    field = checker.get_by_label("Percentage", exact=True)
    trouble = checker.page.locator(f"#{field.get_attribute('aria-describedby')}")
    assert said in trouble.inner_text()
    assert field.get_attribute("aria-invalid") == "true"
    nothing_broken(checker, typed)


@pytest.mark.parametrize(("right", "asked", "said"), [("5", "3", "5 right of 3 asked cannot be. Type 3 or less."), ("1", "0", "at least one question"), ("0", "0", "at least one question")])
def test_counts_that_do_not_go_together(checker: Locator, right: str, asked: str, said: str) -> None:
    type_score(checker, right=right, asked=asked)
    assert said in checker.inner_text()
    nothing_broken(checker, "")


@pytest.mark.parametrize(("typed", "read"), [(" 5 ", "5"), ("005", "5"), ("0", "0")])
def test_harmless_spellings_of_a_count(checker: Locator, typed: str, read: str) -> None:
    type_score(checker, right=typed)
    assert sentence(checker).startswith(f"{read} of 20 questions right")


def test_thousands_and_percent_signs_are_read(checker: Locator) -> None:
    type_score(checker, right="870", asked="1,000")
    assert sentence(checker).startswith("870 of 1,000 questions right: 87.0 percent")
    for typed in ("25%", "25 %", "25 percent", "25.0", "025", "25."):
        type_score(checker, percentage=typed, asked="20")
        assert sentence(checker).startswith("5 of 20 questions right"), typed


# ---- The address


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"right": "5", "asked": "20"}, "5 of 20 questions right: 25.0 percent, 95% interval 11.2 to 46.9 percent (Wilson)."),
        ({"right": "8", "asked": "10", "level": "99"}, "8 of 10 questions right: 80.0 percent, 99% interval 40.1 to 96.0 percent (Wilson)."),
        ({"percent": "87.2", "asked": "164", "level": "90"}, "143 of 164 questions right: 87.2 percent, 90% interval 82.3 to 90.9 percent (Wilson)."),
        ({"right": "5", "asked": "20", "level": "toString"}, "5 of 20 questions right: 25.0 percent, 95% interval 11.2 to 46.9 percent (Wilson)."),
    ],
)
def test_a_link_carries_the_state(page: Page, address_of: Callable[[str], str], state: dict[str, str], expected: str) -> None:
    errors = watch_errors(page)
    page.goto(f"{address_of('score-checker')}#{urlencode(state)}")
    checker = page.locator("score-checker")
    assert sentence(checker) == expected
    expect(checker).to_be_in_viewport()
    assert errors == []


def test_the_address_follows_the_reader(page: Page, address_of: Callable[[str], str]) -> None:
    address = address_of("score-checker")
    page.goto(address)
    checker = page.locator("score-checker")
    assert page.url == address  # nothing is added until the reader does something
    length = page.evaluate("history.length")
    type_score(checker, right="8", asked="10")
    page.wait_for_url(f"{address}#right=8&asked=10")
    checker.get_by_label("99 percent").check()
    page.wait_for_url(f"{address}#right=8&asked=10&level=99")
    type_score(checker, percentage="87.3")
    page.wait_for_url(f"{address}#percent=87.3&asked=10&level=99")
    assert page.evaluate("history.length") == length  # the back button still leaves the page
    page.reload()
    assert "87.3 percent of 10 questions cannot happen" in checker.inner_text()


def test_nonsense_in_the_address_is_said_not_shown_as_a_number(page: Page, tmp_path: Path) -> None:
    address = write_page(tmp_path, MARKUP["score-checker"])
    for state, said in [
        ({"right": "x", "asked": "20"}, "“x” is not a number"),
        ({"right": "<img src=x onerror=alert(1)>", "asked": "20"}, "is not a number"),
        ({"right": "5", "asked": ""}, "This box is empty"),
    ]:
        page.goto("about:blank")
        page.goto(f"{address}#{urlencode(state)}")
        assert said in page.locator("score-checker").inner_text()
        nothing_broken(page.locator("score-checker"), state["right"])
    assert page.locator("score-checker img").count() == 0


def test_other_anchors_are_left_alone(checker: Locator) -> None:
    page = checker.page
    type_score(checker, right="8")
    page.wait_for_url("**#right=8&asked=20")
    page.get_by_role("link", name="there").click()
    assert page.url.endswith("#section-12-4")
    assert sentence(checker).startswith("8 of 20")
    page.goto("about:blank")
    page.go_back()
    assert page.url.endswith("#section-12-4")
    page.reload()
    assert page.url.endswith("#section-12-4")
    assert page.evaluate("document.querySelector(':target').id") == "section-12-4"
    assert sentence(checker).startswith("5 of 20")
    page.evaluate("location.hash = '#right=1&asked=2'")
    expect(checker.locator(".publish .sentence")).to_contain_text("1 of 2 questions right")


# ---- Copying and speaking


def test_the_sentence_can_be_copied(page: Page, address_of: Callable[[str], str]) -> None:
    page.goto(address_of("score-checker"))
    checker = page.locator("score-checker")
    if page.url.startswith("http"):
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    checker.get_by_role("button", name="Copy the sentence").click()
    expect(checker.get_by_role("button", name="Copied")).to_be_visible()
    expect(checker.get_by_role("status")).to_have_text("Copied.")
    expected = sentence(checker)
    field = checker.get_by_label("Right answers", exact=True)
    field.focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("ControlOrMeta+v")
    assert field.input_value() == expected
    type_score(checker, right="6")
    expect(checker.get_by_role("button", name="Copy the sentence")).to_be_visible()


@pytest.mark.parametrize("clipboard", ["undefined", "{writeText: () => Promise.reject(new Error('no'))}"])
@pytest.mark.parametrize("old_way", [True, False])
def test_copying_where_the_clipboard_is_closed(checker: Locator, clipboard: str, old_way: bool) -> None:
    page = checker.page
    page.evaluate(f"Object.defineProperty(navigator, 'clipboard', {{value: {clipboard}}})")
    if not old_way:
        page.evaluate("document.execCommand = () => false")
    checker.locator(".publish button").click()
    expect(checker.get_by_role("status")).to_have_text("Copied." if old_way else "The sentence is selected: copy it with Ctrl+C, or Command+C on a Mac.")
    assert page.evaluate("String(getSelection())").strip() == sentence(checker)


def test_the_result_is_spoken_once_typing_has_stopped(checker: Locator) -> None:
    status = checker.get_by_role("status")
    assert checker.locator("[aria-live], [role=status], [role=alert]").count() == 1
    assert status.inner_text() == ""  # nothing is said before the reader does something
    status.evaluate("node => { node.said = []; new MutationObserver(() => node.said.push(node.textContent)).observe(node, {childList: true, characterData: true, subtree: true}) }")
    checker.get_by_label("Right answers", exact=True).fill("")
    checker.get_by_label("Right answers", exact=True).press_sequentially("12", delay=60)
    expect(status).to_have_text("12 of 20 questions right: 60.0 percent, 95% interval 38.7 to 78.1 percent (Wilson).")
    assert status.evaluate("node => node.said") == [status.inner_text()]


def test_the_starting_score_comes_from_the_page(page: Page, tmp_path: Path) -> None:
    page.goto(write_page(tmp_path, element("score-checker", right=8, asked=10, level=90)))
    assert sentence(page.locator("score-checker")).startswith("8 of 10 questions right: 80.0 percent, 90% interval")


def test_the_chart_marks_what_is_impossible(checker: Locator) -> None:
    assert checker.locator(".cross, .outside").count() == 0
    type_score(checker, right="10", asked="10")
    assert checker.locator(".cross").count() == 1  # plus four, above 100; Wald has width zero
    assert "Wald 100.0 to 100.0, width zero" in checker.locator("svg").text_content()
    assert "Plus four 67.4 to 104.0, impossible" in checker.locator("svg").text_content()
    checker.get_by_label("99 percent").check()
    type_score(checker, right="1", asked="2")
    assert checker.locator(".cross").count() == 4
    assert checker.locator(".outside").count() == 2
