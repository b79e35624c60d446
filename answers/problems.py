"""The twenty-six problems, read from the instructor's key.

    from answers.problems import load_key
    for problem in load_key():
        print(problem.number, problem.title, problem.output)

Each problem is one page of `answers/key`, whose cells are told apart by their tags. Everything else that speaks of a
problem (the problems page, the practice notebook with its self-check, the published answers, the grader) is made from
what this module returns.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext

from chapters.practice_check import Line, canonical

ROOT = Path(__file__).resolve().parent.parent
KEY = ROOT / "answers" / "key"

TIERS = {"Warm-up": range(1, 11), "Practice": range(11, 21), "Stretch": range(21, 27)}
NUMBERS = tuple(number for numbers in TIERS.values() for number in numbers)
TRY_ITS = ("12.1", "12.2")
UNITS = ("", "percent", "percentage points", "fraction", "true or false")

_TEXT_TAGS = ("title", "statement", "explanation", "model-answer", "rubric")
_CODE_TAGS = ("setup", "data", "solution", "second-data")


class KeyFault(Exception):
    """A page of the key is missing, incomplete or inconsistent. The message names the page, the piece and the remedy."""


@dataclass(frozen=True)
class Problem:
    """One problem with its answer.

    Texts are Markdown without the heading, code is Python source. `output` and `second_output` are what the same
    solution prints on the two sets of inputs. What a problem does not have is empty.
    """

    name: str  # problem-05, or try-it-12-1
    title: str
    sections: tuple[str, ...]  # of the chapter, such as 12.2
    toolkit: tuple[int, ...]
    statement: str
    explanation: str
    lines: tuple[Line, ...] = ()
    setup: str = ""
    data: str = ""
    solution: str = ""
    second_data: str = ""
    output: str = ""
    second_output: str = ""
    model_answer: str = ""
    rubric: str = ""

    @property
    def number(self) -> int:
        """1 to 26. Raises ValueError for a try-it, which has none."""
        return int(self.name.removeprefix("problem-"))

    @property
    def tier(self) -> str:
        return next(tier for tier, numbers in TIERS.items() if self.number in numbers)

    @property
    def computed(self) -> bool:
        """Whether there is something to compute and print."""
        return bool(self.solution)

    @property
    def written(self) -> bool:
        """Whether there is something to write in words."""
        return bool(self.model_answer)


def load_key(folder: Path = KEY, numbers: Iterable[int] = NUMBERS) -> tuple[Problem, ...]:
    """Read the problems from a key's folder, in order, and run each solution on both sets of inputs.

    `numbers` names the problems wanted; a key that was published in part holds fewer than all.
    Raises KeyFault if a page or a piece of one is missing, or a solution does not print what it says it prints.
    """
    return tuple(_read(folder / f"problem-{number:02d}.md", f"Problem {number:02d}") for number in numbers)


def load_try_its(folder: Path = KEY) -> tuple[Problem, ...]:
    """Read the two exercises that stand inside the chapter. They have no second inputs. Raises KeyFault as load_key."""
    return tuple(
        _read(folder / f"try-it-{number.replace('.', '-')}.md", f"Try it {number}", graded=False) for number in TRY_ITS
    )


def run(*sources: str) -> str:
    """Run pieces of code one after another in a namespace of their own, and return what they print."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        for source in sources:
            exec(compile(source, "<answer>", "exec"), namespace)
    return printed.getvalue()


def _read(path: Path, heading: str, graded: bool = True) -> Problem:
    name = path.stem

    def fault(message: str) -> KeyFault:
        return KeyFault(f"{name}: {message} ({path})")

    try:
        notebook = jupytext.reads(path.read_text(encoding="utf-8"), fmt="md:myst")
    except FileNotFoundError:
        raise KeyFault(f"{name}: the key has no page for it. It should be {path}.") from None
    except Exception as error:  # jupytext passes on YAML and parser errors of many types
        raise fault(f"the page cannot be read: {error}") from error

    cells: dict[str, Any] = {}
    for cell in notebook.cells:
        tags = [tag for tag in cell.metadata.get("tags", []) if tag in _TEXT_TAGS + _CODE_TAGS]
        if len(tags) != 1:
            raise fault(f"a cell has not exactly one of the key's tags. It begins: {cell.source[:60]!r}")
        tag = tags[0]
        if (cell.cell_type == "code") != (tag in _CODE_TAGS):
            raise fault(f"the cell tagged {tag} is a {cell.cell_type} cell")
        if tag in cells:
            raise fault(f"two cells are tagged {tag}")
        if not cell.source.strip():
            raise fault(f"the cell tagged {tag} is empty")
        cells[tag] = cell

    written = {"model-answer", "rubric"}
    computed = {"data", "solution"} | ({"second-data"} if graded else set())
    wanted = {"title", "statement", "explanation"}
    wanted |= written if written & cells.keys() else computed
    wanted |= computed if computed & cells.keys() else set()
    if missing := sorted(wanted - cells.keys()):
        raise fault(f"the page has no cell tagged {' and none tagged '.join(missing)}. Write it")

    def text(tag: str) -> str:
        return cells[tag].source.strip() if tag in cells else ""

    about = cells["title"].metadata
    title = re.match(r"# [\w .]+: (.+)", text("title"))
    if title is None:
        raise fault("the title is not of the form '# Problem 5: What it asks'")
    for piece in ("sections", "toolkit"):
        if not about.get(piece):
            raise fault(f"the title cell's metadata has no {piece}. Add it, such as \"{piece}\": [...]")

    problem = Problem(
        name=name,
        title=title[1].strip(),
        sections=tuple(str(section) for section in about["sections"]),
        toolkit=tuple(int(number) for number in about["toolkit"]),
        statement=text("statement"),
        explanation=text("explanation"),
        model_answer=text("model-answer"),
        rubric=text("rubric"),
    )
    if "solution" not in cells:
        return problem

    lines = _lines(cells["solution"].metadata.get("prints"), fault)
    small = heading[0].lower() + heading[1:]
    for tag, first in (("data", f"# Data for {small}"), ("second-data", f"# Data for {small}"), ("solution", f"# {heading}")):
        if tag in cells and text(tag).splitlines()[0] != first:
            raise fault(f"the cell tagged {tag} does not begin with the line '{first}'")
    if graded and _names(text("data")) != _names(text("second-data")):
        raise fault("the second data cell does not set the same names as the first")

    outputs = []
    for tag in ("data", "second-data") if graded else ("data",):
        try:
            output = run(text("setup"), text(tag), text("solution"))
        except Exception as error:
            raise fault(f"the solution stops on the cell tagged {tag}: {type(error).__name__}: {error}") from error
        if canonical(output, lines) is None:
            raise fault(f"on the cell tagged {tag} the solution prints {output!r}, which is not what its prints list says")
        outputs.append(output)
    if graded and outputs[0] == outputs[1]:
        raise fault("the second inputs give the same output as the first. Choose others")

    return Problem(
        **{
            **vars(problem),
            "lines": lines,
            "setup": text("setup"),
            "data": text("data"),
            "solution": text("solution"),
            "second_data": text("second-data"),
            "output": outputs[0],
            "second_output": outputs[1] if graded else "",
        }
    )


def _lines(entries: Sequence[dict[str, Any]] | None, fault: Any) -> tuple[Line, ...]:
    """Turn the solution cell's `prints` list into lines."""
    if not entries:
        raise fault("the solution cell's metadata has no prints list, one entry for each printed line")
    lines = []
    for entry in entries:
        try:
            line = Line(**entry)
        except TypeError as error:
            raise fault(f"an entry of prints is wrong: {error}") from error
        if line.unit not in UNITS:
            raise fault(f"an entry of prints has the unit {line.unit!r}; use one of {', '.join(map(repr, UNITS))}")
        lines.append(line)
    return tuple(lines)


def _names(source: str) -> set[str]:
    """Return the names that a data cell sets."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
