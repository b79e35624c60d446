"""Every number in running text is printed by that page, stands in the ledger, or is worked out in prose_figures.yml."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from notebooks import ROOT, page_name, page_sources
from prose import comes_out_at, evaluate, numbers_in, running_text, unvouched, value_of

FIGURES = yaml.safe_load((ROOT / "tests" / "prose_figures.yml").read_text(encoding="utf-8")) or {}
SOURCES = [ROOT / "index.md", *page_sources()]


@pytest.mark.parametrize("source", SOURCES, ids=page_name)
def test_numbers_are_vouched_for(source: Path):
    problems = unvouched(source, FIGURES.get(page_name(source), {}))
    assert not problems, (
        "Nothing vouches for these numbers. Let a cell of the page print them, or give their arithmetic in "
        "tests/prose_figures.yml:\n" + "\n".join(problems)
    )


@pytest.mark.parametrize(
    ("page", "written", "expression"),
    [(page, str(written), str(expression)) for page, entries in FIGURES.items() for written, expression in entries.items()],
)
def test_expressions_come_out(page: str, written: str, expression: str):
    assert comes_out_at(expression, written), f"{page}: {expression} does not come out at {written}"


@pytest.mark.parametrize("page", FIGURES)
def test_no_expression_is_left_over(page: str):
    source = ROOT / f"{page}.md"
    assert source.is_file(), f"prose_figures.yml speaks of {page}, which is no page."
    written = {value_of(number) for _, text in running_text(source) for number in numbers_in(text)}
    left_over = [number for number in FIGURES[page] if value_of(str(number)) not in written]
    assert not left_over, f"{page} no longer says {left_over}; take them out of prose_figures.yml."


@pytest.mark.parametrize("source", [*SOURCES, *sorted((ROOT / "_static" / "score-lab").glob("*.js"))], ids=lambda path: path.name)
def test_a_difference_of_percentages_is_in_percentage_points(source: Path):
    """Points alone are those of the exam at Berkeley."""
    assert set(re.findall(r"[\d.,}]+ points\b", source.read_text(encoding="utf-8"))) <= {"47 points", "27.83 points"}


def test_the_guard_can_fail():
    assert numbers_in("A score of 27.3 percent, or 1,068 questions.") == ["27.3", "1,068"]
    assert numbers_in("In $10{,}000$ resamples and $\\frac{3}{20}$") == ["10,000", "3", "20"]
    assert not comes_out_at("25 - 6", "18.0")
    assert not comes_out_at("printed by chapters/corrections#correction-09", "123456")
    with pytest.raises(ValueError):
        evaluate("19.0")
    with pytest.raises(ValueError):
        evaluate("__import__('os')")


def test_names_are_not_figures():
    assert numbers_in("See [Formula 12.4](#formula-12-4), sections 12.1 to 12.8 and [12.2](#section-12-2).") == []
    assert numbers_in("## 12.4 Past 100 percent") == ["100"]
    assert numbers_in("On 27 April 2026, 19:40:44, with NumPy 2.4.6 and Python 3.11 to 3.13 (Wilson 1927).") == []
    assert numbers_in("Qwen2.5-0.5B-Instruct, Qwen-2.5-7B, q5c_ii_precision, seed `20260912`, #0072B2") == []
    assert numbers_in("2,014 of 10,000 scored 25 percent") == ["2,014", "10,000", "25"]
    assert numbers_in("problem 25 and 385 questions") == ["385"]
