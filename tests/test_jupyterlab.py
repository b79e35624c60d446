"""The chapter runs top to bottom in a real JupyterLab and prints there what is stored here."""

from __future__ import annotations

from pathlib import Path

import nbformat
from playwright.sync_api import Page

from jupyterlab import jupyterlab, open_notebook, run_all
from notebooks import ROOT, printed_text, read_notebook
from tree import copy_project

CHAPTER = "chapters/12-is-that-score-real.ipynb"


def test_run_all_prints_what_is_recorded(page: Page, tmp_path: Path):
    copy = copy_project(tmp_path / "course")
    notebook = nbformat.read(copy / CHAPTER, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None  # so that what is compared was printed here
    nbformat.write(notebook, copy / CHAPTER)

    with jupyterlab(copy, tmp_path / "scratch") as address:
        open_notebook(page, address, CHAPTER)
        run_all(page, copy / CHAPTER)

    ran = {cell.id: cell for cell in read_notebook(copy / CHAPTER).cells if cell.cell_type == "code"}
    recorded = [cell for cell in read_notebook(ROOT / CHAPTER).cells if cell.cell_type == "code"]
    assert list(ran) == [cell.id for cell in recorded]
    for cell in recorded:
        assert ran[cell.id].execution_count == cell.execution_count, f"cell {cell.id} did not run in its turn"
        assert printed_text(ran[cell.id]) == printed_text(cell), f"cell {cell.id} prints something else in JupyterLab"
