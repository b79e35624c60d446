"""The one-way flow holds: each stored notebook is its page's text, executed, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from notebooks import ROOT, cells_from_source, page_name, page_notebooks, page_sources, read_notebook, without_outputs

SOURCES = page_sources()
NOTEBOOKS = page_notebooks()
NBVAL_MARKERS = re.compile(r"NBVAL_|nbval-|raises-exception")


def name(path: Path) -> str:
    return page_name(path)


def test_there_are_pages():
    assert SOURCES, "No page was found: the tests would prove nothing."


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_page_has_its_notebook(source: Path):
    assert source.with_suffix(".ipynb").is_file(), f"{name(source)}.md was never recorded. Run: make record PAGES={name(source)}.md"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=name)
def test_notebook_has_its_page(notebook: Path):
    assert notebook.with_suffix(".md").is_file(), (
        f"{name(notebook)}.ipynb has no {notebook.stem}.md beside it. A notebook is made from its text: write the .md, "
        "or delete the .ipynb."
    )


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=name)
def test_notebook_says_what_its_page_says(notebook: Path):
    source = notebook.with_suffix(".md")
    fresh = cells_from_source(source)
    stored = read_notebook(notebook)
    what_to_do = (
        f"If {source.name} was changed, run: make record PAGES={name(source)}.md. If {notebook.name} was edited by hand, undo that "
        "(git checkout) and make the change in the .md: the notebook is made from it."
    )
    expected, actual = without_outputs(fresh), without_outputs(stored)
    assert len(actual) == len(expected), (
        f"{name(notebook)}.ipynb has {len(actual)} cells, its text makes {len(expected)}. {what_to_do}"
    )
    for cell, wanted in zip(actual, expected, strict=True):
        for part in ("type", "id", "source", "metadata"):
            assert cell[part] == wanted[part], (
                f"{name(notebook)}.ipynb, cell {wanted['id']}: its {part} is not the one its text makes. {what_to_do}"
            )
    assert stored.metadata == fresh.metadata, f"{name(notebook)}.ipynb: the notebook's metadata was changed. {what_to_do}"
    assert (stored.nbformat, stored.nbformat_minor) == (4, 5), f"{name(notebook)}.ipynb is not in notebook format 4.5. {what_to_do}"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=name)
def test_replay_will_compare_every_cell(notebook: Path):
    """nbval compares nothing on a cell without an execution count, and takes markers as orders to look away."""
    again = f"Run: make record PAGES={name(notebook)}.md"
    code_cells = [cell for cell in read_notebook(notebook).cells if cell.cell_type == "code"]
    for position, cell in enumerate(code_cells, start=1):
        where = f"{name(notebook)}.ipynb, cell {cell.get('id')}"
        assert cell.execution_count == position, (
            f"{where}: its execution count is {cell.execution_count}, not {position}, so the replay would not compare it in order. {again}"
        )
        for output in cell.outputs:
            assert output.output_type != "error", f"{where}: an error is stored as its output. Mend the cell in the .md. {again}"
            assert output.get("name") != "stderr", f"{where}: it writes to standard error. Mend the cell in the .md. {again}"
        marked = NBVAL_MARKERS.search(cell.source + " ".join(cell.metadata.get("tags", [])))
        assert not marked, f"{where}: {marked and marked.group()} tells the replay to look away. Take it out of the .md. {again}"
        text = str(cell.outputs)
        assert "np.float64" not in text and "numpy.float64" not in text, (
            f"{where}: it prints a NumPy type's name, which differs between NumPy versions. Use float(...) or int(...) in the .md. {again}"
        )


def test_every_page_is_in_the_book():
    listed = set(re.findall(r"file:\s*(\S+)", (ROOT / "_toc.yml").read_text(encoding="utf-8")))
    pages = {name(source) for source in SOURCES if not name(source).startswith("answers/key/")}
    assert pages - listed == set(), "These pages are in no table of contents. Add them to _toc.yml."
    missing = {entry for entry in listed - pages if not (ROOT / f"{entry}.md").is_file()}
    assert missing == set(), "_toc.yml lists pages that do not exist."
