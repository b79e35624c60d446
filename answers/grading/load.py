"""Read a submission without trusting it.

Only four things of a cell are looked at: its kind, its source, its id and its tags. Stored outputs, the kernel's name and
all other metadata are not read, so nothing in them can matter later.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LARGEST_NOTEBOOK = 10_000_000  # bytes
MOST_CELLS = 2_000


class Unreadable(Exception):
    """A submission cannot be graded. The message is a sentence for the gradebook."""


@dataclass(frozen=True)
class Cell:
    """What matters of a submitted cell. `kind` is code, markdown or raw; the source has `\\n` line ends."""

    kind: str
    source: str
    id: str = ""
    tags: tuple[str, ...] = ()


def read_bytes(path: Path) -> bytes:
    """Read a submitted file. Raises Unreadable if it is a link, not a regular file, too large or empty."""
    try:
        # Opened without waiting and without following a link: a submission could be a pipe, or a link to the key.
        descriptor = os.open(
            path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
    except OSError as error:
        if path.is_symlink():
            raise Unreadable("This is a link to another file, not a file. Hand in the notebook itself.") from None
        raise Unreadable(f"The file cannot be opened: {error.strerror}.") from None
    with open(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable("This is not an ordinary file. Hand in the notebook itself.")
        if found.st_size > LARGEST_NOTEBOOK:
            raise Unreadable(
                f"The file has {found.st_size / 1e6:.0f} MB; the limit is {LARGEST_NOTEBOOK / 1e6:.0f} MB. "
                "In JupyterLab choose Edit, Clear Outputs of All Cells, save, and hand it in again."
            )
        content = file.read(LARGEST_NOTEBOOK + 1)
    if not content.strip():
        raise Unreadable("The file is empty. Save the notebook in JupyterLab and hand it in again.")
    return content


def read_cells(content: bytes) -> tuple[Cell, ...]:
    """Read the cells of a notebook in format 3 or 4, with or without a byte order mark or cell ids.

    Raises Unreadable with the reason.
    """
    if content.startswith(b"PK\x03\x04"):
        raise Unreadable("This is a zip archive, not a notebook. Unpack it; the notebook is the .ipynb file in it.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable(
            "The file is not text in UTF-8, so it is not a notebook as JupyterLab saves it. Hand in the .ipynb file itself."
        ) from None
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable(
            "The file is not a notebook: its JSON is broken. Open it in JupyterLab; if it opens, save it and hand it in again."
        ) from None
    if not isinstance(notebook, dict) or "nbformat" not in notebook:
        raise Unreadable(
            "The file is not a notebook: it does not say which notebook format it has. Hand in the .ipynb file itself."
        )
    version = notebook["nbformat"]
    if version == 4:
        cells = notebook.get("cells")
    elif version == 3:
        sheets = notebook.get("worksheets")
        cells = [cell for sheet in _list(sheets) if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
    else:
        raise Unreadable(
            f"The notebook has format {_short(version)}; only 3 and 4 can be read. Save it in a current JupyterLab."
        )
    if not isinstance(cells, list) or not cells:
        raise Unreadable("The notebook has no cells. Is it the right file? Hand in the practice notebook.")
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"The notebook has {len(cells)} cells; the limit is {MOST_CELLS}. Delete those you do not need.")
    return tuple(_cell(cell) for cell in cells if isinstance(cell, dict))


def _cell(cell: dict[str, Any]) -> Cell:
    kind = cell.get("cell_type")
    if kind == "code":
        source = cell.get("source", cell.get("input", ""))  # format 3 says input
    else:
        kind = "raw" if kind == "raw" else "markdown"  # format 3 also has heading and html
        source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    metadata = cell.get("metadata")
    tags = _list(metadata.get("tags")) if isinstance(metadata, dict) else []
    return Cell(
        kind=kind,
        source=source.replace("\r\n", "\n").replace("\r", "\n") if isinstance(source, str) else "",
        id=cell["id"] if isinstance(cell.get("id"), str) else "",
        tags=tuple(tag for tag in tags if isinstance(tag, str)),
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _short(value: Any) -> str:
    return str(value)[:20]
