"""Record pages: execute each page's cells and store the notebook that the replay checks.

    python tests/record.py                          every page
    python tests/record.py chapters/uncertainty.md  only this one

Recording twice without a change gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from kernels import AsyncFolderKernelManager
from notebooks import PageError, ROOT, cells_from_source, page_sources

CELL_TIMEOUT_SECONDS = 120


def execute(notebook: NotebookNode, folder: Path) -> None:
    """Run a notebook's cells in a fresh kernel, in `folder`, and keep the outputs in place.

    Raises PageError with the cell's name if a cell fails, times out or writes to standard error.
    """
    client = NotebookClient(
        notebook,
        timeout=CELL_TIMEOUT_SECONDS,
        kernel_name="python3",
        kernel_manager_class=AsyncFolderKernelManager,
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--IPKernelApp.log_level=ERROR"],  # it warns of unencrypted local sockets on every start
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        running = next(
            (cell.id for cell in reversed(notebook.cells) if cell.cell_type == "code" and cell.execution_count),
            "the first cell",
        )
        raise PageError(f"cell {running}: {error}") from error
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream" and output.name == "stderr":
                raise PageError(f"cell {cell.id} writes to standard error, which readers would see: {output.text}")


def tidy(notebook: NotebookNode) -> None:
    """Drop what changes from run to run or from machine to machine."""
    notebook.metadata = {
        "kernelspec": notebook.metadata.kernelspec,
        "language_info": {"name": "python", "pygments_lexer": "ipython3"},
    }
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(path.name + ".part")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def record(source: Path) -> bool:
    """Execute one page and store its notebook beside it. Returns whether the stored file changed."""
    notebook = cells_from_source(source)
    if any(cell.cell_type == "code" for cell in notebook.cells):
        execute(notebook, source.parent)
    tidy(notebook)
    nbformat.validate(notebook)
    target = source.with_suffix(".ipynb")
    text = nbformat.writes(notebook, indent=1) + "\n"
    if target.exists() and target.read_text(encoding="utf-8") == text:
        return False
    write_whole(target, text)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description="Execute pages and store the notebooks that the replay checks.")
    parser.add_argument("pages", nargs="*", type=Path, help="the .md pages to record (default: every page)")
    arguments = parser.parse_args()

    sources = [path.resolve() for path in arguments.pages] or page_sources()
    failed = 0
    for number, source in enumerate(sources, start=1):
        began = time.monotonic()
        name = os.path.relpath(source, ROOT)
        try:
            if source.suffix != ".md" or not source.is_file():
                raise PageError("this is not a page's .md file. Name the text, not the notebook.")
            changed = record(source)
        except PageError as error:
            failed += 1
            print(f"[{number}/{len(sources)}] {name}: NOT RECORDED. {error}", file=sys.stderr)
            continue
        state = "recorded" if changed else "unchanged"
        print(f"[{number}/{len(sources)}] {name}: {state} in {time.monotonic() - began:.1f} s", flush=True)
    if failed:
        print(f"{failed} page(s) could not be recorded; their stored notebooks are as before.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
