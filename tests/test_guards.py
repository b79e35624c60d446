"""Break a copy of the project in each way the guards are there for, and see the run turn red with a sentence."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from notebooks import page_name, page_notebooks, printed_text, read_notebook
from tree import copy_project


def smallest_page_that_prints() -> str:
    def size(path: Path) -> int:
        return sum(len(cell.source) for cell in read_notebook(path).cells)

    printing = [
        path
        for path in page_notebooks()
        if any(cell.cell_type == "code" and re.search(r"\d", printed_text(cell)) for cell in read_notebook(path).cells)
    ]
    return page_name(min(printing, key=size))


PAGE = smallest_page_that_prints()


def run_guards(copy: Path) -> tuple[int, str]:
    """Run, in the copy, what `make test` runs on this page: the flow's tests and its replay."""
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_notebooks.py", f"{PAGE}.ipynb", "-k", f"{PAGE} or ipynb"],
        cwd=copy,
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "400"},
    )
    return run.returncode, " ".join((run.stdout + run.stderr).split())


def edit_notebook(copy: Path, edit: Callable[[NotebookNode, NotebookNode], None]) -> None:
    """Apply `edit(notebook, its first code cell that prints a digit)` to the stored notebook, as a careless hand would."""
    path = copy / f"{PAGE}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.cell_type == "code" and re.search(r"\d", printed_text(cell)))
    edit(notebook, cell)
    nbformat.write(notebook, path)


def edit_text_of_notebook(copy: Path) -> None:
    def edit(notebook: NotebookNode, cell: NotebookNode) -> None:
        notebook.cells[0].source += " One more word."

    edit_notebook(copy, edit)


def edit_code_of_notebook(copy: Path) -> None:
    def edit(notebook: NotebookNode, cell: NotebookNode) -> None:
        cell.source += "\n# tidied"

    edit_notebook(copy, edit)


def change_the_page_only(copy: Path) -> None:
    path = copy / f"{PAGE}.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nOne more sentence.\n", encoding="utf-8")


def change_a_printed_digit(copy: Path) -> None:
    def edit(notebook: NotebookNode, cell: NotebookNode) -> None:
        output = next(output for output in cell.outputs if output.output_type == "stream")
        digit = re.search(r"\d", output.text)
        changed = str((int(digit.group()) + 1) % 10)
        output.text = output.text[: digit.start()] + changed + output.text[digit.end() :]

    edit_notebook(copy, edit)


def drop_an_execution_count(copy: Path) -> None:
    def edit(notebook: NotebookNode, cell: NotebookNode) -> None:
        cell.execution_count = None

    edit_notebook(copy, edit)


def drop_the_outputs(copy: Path) -> None:
    def edit(notebook: NotebookNode, cell: NotebookNode) -> None:
        cell.outputs = []

    edit_notebook(copy, edit)


def store_an_error(copy: Path) -> None:
    def edit(notebook: NotebookNode, cell: NotebookNode) -> None:
        cell.outputs = [nbformat.v4.new_output("error", ename="ValueError", evalue="no", traceback=["no"])]

    edit_notebook(copy, edit)


def tell_the_replay_to_look_away(copy: Path) -> None:
    def edit(notebook: NotebookNode, cell: NotebookNode) -> None:
        cell.metadata["tags"] = ["nbval-ignore-output"]

    edit_notebook(copy, edit)


def delete_the_page(copy: Path) -> None:
    (copy / f"{PAGE}.md").unlink()


BREAKS = {
    edit_text_of_notebook: "edited by hand, undo that",
    edit_code_of_notebook: "edited by hand, undo that",
    change_the_page_only: "run: make record",
    change_a_printed_digit: "did not print what is stored",
    drop_an_execution_count: "its execution count is None",
    drop_the_outputs: "did not print what is stored",
    store_an_error: "an error is stored as its output",
    tell_the_replay_to_look_away: "tells the replay to look away",
    delete_the_page: "A notebook is made from its text",
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return copy_project(tmp_path / "copy")


def test_an_unbroken_copy_is_green(copy: Path):
    status, output = run_guards(copy)
    assert status == 0, output


@pytest.mark.parametrize("break_it", BREAKS, ids=lambda function: function.__name__)
def test_a_broken_copy_is_red_and_says_what_to_do(break_it: Callable[[Path], None], copy: Path):
    break_it(copy)
    status, output = run_guards(copy)
    assert status == 1, output
    assert BREAKS[break_it] in output


def test_a_page_never_recorded_is_red(copy: Path):
    (copy / f"{PAGE}.ipynb").unlink()
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_notebooks.py"],
        cwd=copy,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert "was never recorded. Run: make record" in " ".join(run.stdout.split())


def test_a_dying_kernel_is_red(copy: Path):
    """nbval calls the cells after it expected failures; the run must not take them for passes."""
    folder = copy / "chapters"
    (folder / "dying.md").write_text(
        "# Dying\n\n```{code-cell} python\n---\nlabel: one\n---\nprint(1)\n```\n\n"
        "```{code-cell} python\n---\nlabel: two\n---\nprint(2)\n```\n",
        encoding="utf-8",
    )
    record = subprocess.run([sys.executable, "tests/record.py", "chapters/dying.md"], cwd=copy, capture_output=True, text=True)
    assert record.returncode == 0, record.stderr
    path = folder / "dying.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].source = "import os\nos._exit(1)"
    nbformat.write(notebook, path)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--nbval-cell-timeout=4", "chapters/dying.ipynb"],
        cwd=copy,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1, run.stdout


def test_recording_refuses_what_would_not_replay(copy: Path):
    page = copy / "chapters" / "bad.md"
    cases = {
        "```{code-cell} python\nprint(1)\n```\n": "code cell 1 has no label",
        "```{code-cell} python\n---\nlabel: a\n---\n1 / 0\n```\n": "ZeroDivisionError",
        "```{code-cell} python\n---\nlabel: a\n---\nimport sys\nprint(1, file=sys.stderr)\n```\n": "writes to standard error",
        "```{code-cell} python\n---\nlabel: a\n---\n1\n```\n\n```{code-cell} python\n---\nlabel: a\n---\n2\n```\n": "two code cells are labelled a",
    }
    for text, sentence in cases.items():
        page.write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, "tests/record.py", "chapters/bad.md"], cwd=copy, capture_output=True, text=True)
        assert run.returncode == 1
        assert sentence in run.stderr
        assert not page.with_suffix(".ipynb").exists(), "a refused page must leave no notebook"
    run = subprocess.run([sys.executable, "tests/record.py", "chapters/none.md"], cwd=copy, capture_output=True, text=True)
    assert run.returncode == 1 and "Name the text, not the notebook" in run.stderr
