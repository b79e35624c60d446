"""Every figure of the ledger is printed where the ledger says, in the ledger's order."""

from __future__ import annotations

import re
import sys
from functools import cache

import pytest
import yaml

from notebooks import ROOT, printed_text, read_notebook

LEDGER = yaml.safe_load((ROOT / "tests" / "ledger.yml").read_text(encoding="utf-8"))
CHAPTER = "chapters/12-is-that-score-real"
UNCERTAINTY = "chapters/uncertainty"

# The uncertainty part of the ledger does not name its cells; the chapter does.
UNCERTAINTY_CELLS = {
    "set": [str(LEDGER["uncertainty"]["data"][key]) for key in ("right", "items", "accuracy")],
    "mechanic": [
        piece
        for draw in LEDGER["uncertainty"]["draws"]
        for piece in (str(draw["indices"]), str(draw["right"]), draw["accuracy"])
    ],
    "full-bootstrap": [LEDGER["uncertainty"]["full_bootstrap"][key] for key in ("resamples", "mean", "low", "high", "width", "report")],
    "growing-sets": [piece for row in LEDGER["uncertainty"]["growing_sets"] for piece in row if piece],
}


def owed() -> list[tuple[str, str, list[str]]]:
    """Return (page, cell, figures in order) for everything the ledger owes."""
    entries = []
    for cell in LEDGER["chapter_12"]["cells"]:
        figures = list(cell.get("prints", [])) + [figure for row in cell.get("table", []) for figure in row]
        entries.append((CHAPTER, cell["id"], figures))
    entries += [(UNCERTAINTY, cell, figures) for cell, figures in UNCERTAINTY_CELLS.items()]
    return entries


@cache
def printed(page: str) -> dict[str, str]:
    """Return what each code cell of a page prints, by cell id."""
    notebook = read_notebook(ROOT / f"{page}.ipynb")
    return {cell.id: printed_text(cell) for cell in notebook.cells if cell.cell_type == "code"}


def find_in_order(text: str, figures: list[str]) -> str | None:
    """Return the first figure that does not follow its predecessor in `text`, or None if all do.

    A figure is found only as a whole: 0.25 is not in 0.252, nor 5 in 25 or 5.2.
    """
    position = 0
    for figure in figures:
        whole = re.compile(r"(?<![\w.,-])" + re.escape(figure) + r"(?![\w%]|[.,]\d)")
        match = whole.search(text, position)
        if not match:
            return figure
        position = match.end()
    return None


def normal(text: str) -> str:
    """Fold runs of blanks, so that a printed table's column widths do not matter."""
    return re.sub(r"[ \t]+", " ", text)


@pytest.mark.parametrize(("page", "cell", "figures"), owed(), ids=lambda value: value if isinstance(value, str) else "")
def test_cell_prints_its_figures(page: str, cell: str, figures: list[str]):
    cells = printed(page)
    assert cell in cells, f"{page} has no cell labelled {cell}; the ledger owes its figures there."
    missing = find_in_order(normal(cells[cell]), figures)
    assert missing is None, f"{page}, cell {cell}: the ledger's figure {missing!r} is not printed, or not in its place."


def test_the_search_can_fail():
    assert find_in_order("0.252", ["0.25"]) == "0.25"
    assert find_in_order("25.0 percent", ["5.0 percent"]) == "5.0 percent"
    assert find_in_order("-0.05", ["0.05"]) == "0.05"
    assert find_in_order("0.75 0.25", ["0.25", "0.75"]) == "0.75"
    assert find_in_order("1,353", ["353"]) == "353"
    assert find_in_order("The share is 0.25.", ["0.25"]) is None


def test_nothing_owed_is_left_out():
    assert [cell for page, cell, _ in owed() if page == CHAPTER] == [cell["id"] for cell in LEDGER["chapter_12"]["cells"]]
    assert len(LEDGER["chapter_12"]["cells"]) == 16
    silent = [cell for _, cell, figures in owed() if not figures]
    assert silent == ["setup"], "Only the setup cell prints nothing."


def test_the_status_page_counts_what_is_found_here():
    sys.path.insert(0, str(ROOT / "_ext"))
    try:
        from status import count_figures
    finally:
        sys.path.remove(str(ROOT / "_ext"))
    assert count_figures(ROOT) == sum(len(figures) for _, _, figures in owed())
