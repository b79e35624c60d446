"""The one-way flow from a page's text to its notebook.

`NAME.md` (MyST text, edited by people) becomes `NAME.ipynb` (executed, stored, never edited).
This module knows where pages are and how one page's text turns into notebook cells.
`record.py` executes and writes them; the tests compare them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbformat import NotebookNode

ROOT = Path(__file__).resolve().parent.parent
PAGE_FOLDERS = ("chapters", "toolkit", "answers")

# What a stored notebook says about its kernel. Nothing here depends on the machine or the Python version.
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
}


class PageError(Exception):
    """A page's text breaks a rule of the flow. The message says what, where and what to do."""


def page_sources(root: Path = ROOT) -> list[Path]:
    """Return every MyST page of the book, as sorted absolute paths.

    A page is any `.md` file in chapters, toolkit or answers, at any depth.
    """
    return sorted(
        path
        for folder in PAGE_FOLDERS
        for path in (root / folder).rglob("*.md")
        if ".ipynb_checkpoints" not in path.parts
    )


def page_notebooks(root: Path = ROOT) -> list[Path]:
    """Return every stored notebook of the book, as sorted absolute paths."""
    return sorted(
        path
        for folder in PAGE_FOLDERS
        for path in (root / folder).rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts
    )


def page_name(path: Path, root: Path = ROOT) -> str:
    """Return the page's name as the site and the tests write it: `chapters/uncertainty`."""
    return path.resolve().relative_to(root).with_suffix("").as_posix()


def read_notebook(path: Path) -> NotebookNode:
    """Read a stored notebook. Raises PageError if it cannot be parsed."""
    try:
        return nbformat.read(path, as_version=4)
    except Exception as error:  # nbformat raises several unrelated types for a broken file
        raise PageError(f"{path}: this is not a readable notebook ({error}). Run: make record") from error


def cells_from_source(path: Path) -> NotebookNode:
    """Turn a page's MyST text into a notebook without outputs.

    Every code cell names itself with `label:`, which becomes its id. A text cell's id is made from its
    words, so that it stays the same when cells are added or moved around it.
    Raises PageError if a code cell has no label, or a label twice.
    """
    try:
        notebook = jupytext.reads(path.read_text(encoding="utf-8"), fmt="md:myst")
    except Exception as error:  # jupytext passes on YAML and parser errors of many types
        raise PageError(f"{path}: jupytext cannot read this page: {error}") from error

    used: set[str] = set()
    for position, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code":
            label = cell.metadata.pop("label", None)
            if not label:
                raise PageError(
                    f"{path}: code cell {position} has no label. Give it one: a line `label: some-name` between "
                    f"two lines of three dashes at its top. The cell begins: {cell.source.splitlines()[:1]}"
                )
            if label in used:
                raise PageError(f"{path}: two code cells are labelled {label}. Rename one of them.")
            cell.id = label
            cell.execution_count = None
            cell.outputs = []
        else:
            # A text cell may name itself with `+++ {"label": "name"}`.
            label = cell.metadata.pop("label", None)
            cell.id = label or _text_id(cell.source, used)
        used.add(cell.id)

    notebook.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def _text_id(source: str, used: set[str]) -> str:
    digest = hashlib.sha256(source.encode()).hexdigest()
    for length in range(8, len(digest)):
        name = f"text-{digest[:length]}"
        if name not in used:
            return name
    raise PageError("the same text stands in too many cells")  # 56 equal cells


def without_outputs(notebook: NotebookNode) -> list[dict[str, Any]]:
    """Return what a notebook's cells say, leaving out what running them produced.

    Used to compare a stored notebook with its page's text: type, id, source and metadata (tags among them).
    """
    return [
        {
            "type": cell.cell_type,
            "id": cell.get("id"),
            "source": cell.source,
            "metadata": dict(cell.metadata),
        }
        for cell in notebook.cells
    ]


def printed_text(cell: NotebookNode) -> str:
    """Return everything a code cell's stored outputs show as text, in order."""
    parts = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            parts.append(output.text)
        elif output.output_type in ("display_data", "execute_result"):
            parts.append(output.data.get("text/plain", "") + "\n")
    return "".join(parts)
