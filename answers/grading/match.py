"""Find the answers in a submission, wherever the student has left them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from answers.grading.load import Cell

_LABEL = re.compile(r"(problem|data|check|sentence)-([0-9]{2})")
_FIRST_LINE = re.compile(r"\s*#[ \t]*(data[ \t]+for[ \t]+)?problem[ \t]+0*([0-9]{1,2})\b[ \t]*([^\n]*)", re.IGNORECASE)
_CHECK_CALL = re.compile(r"\s*practice_check\s*\.\s*check\s*\(\s*([0-9]{1,2})\s*\)\s*")
_WRITE_HERE = re.compile(r"\*\*Problem [0-9]{2}, (?:in words|your answer)\.\*\*|\*Write here\.\*")


@dataclass(frozen=True)
class Matched:
    """Where things stand in a submission: positions in its list of cells, by problem number."""

    answers: dict[int, int]
    data: dict[int, int]  # position of a data cell -> its problem's number
    checks: frozenset[int]
    written: dict[int, str]
    notes: tuple[str, ...]


def match(cells: Sequence[Cell], numbers: Sequence[int]) -> Matched:
    """Match each problem by cell id, else by tag, else by the first line. What is out of place is noted in words."""
    answers: dict[int, int] = {}
    copies: dict[int, int] = {}
    weaker: dict[int, int] = {}  # used where nothing better is found
    data: dict[int, int] = {}
    checks: set[int] = set()
    written: dict[int, str] = {}
    for position, cell in enumerate(cells):
        kind, number, sure = _identity(cell)
        if kind == "sentence" or (kind == "problem" and cell.kind != "code" and number not in numbers):
            written[number] = _WRITE_HERE.sub("", cell.source).strip()
        elif number not in numbers:
            continue
        elif kind == "data" and cell.kind == "code":
            data[position] = number
        elif kind == "check" and cell.kind == "code":
            checks.add(position)
        elif kind == "problem" and cell.kind == "code" and sure:
            copies[number] = copies.get(number, 0) + 1
            if number not in answers or not is_blank(cell.source):  # of several, the last that has something in it
                answers[number] = position
        elif kind == "problem":
            weaker[number] = position

    notes = []
    if not answers and not weaker:
        notes.append("None of the problems has an answer cell. Is this the practice notebook?")
        numbers = ()  # one remark says it all
    for number in numbers:
        name = f"Problem {number:02d}"
        if number not in answers and number in weaker:
            answers[number] = weaker[number]
            if cells[weaker[number]].kind != "code":
                notes.append(
                    f"{name}: the answer cell had become a text cell. It was run as code. Set its type back to Code."
                )
        elif number not in answers:
            notes.append(f"{name}: the notebook has no answer cell for it.")
        elif copies.get(number, 0) > 1:
            notes.append(f"{name}: there are {copies[number]} answer cells. The last one that is not empty counts.")
    order = sorted(answers, key=answers.__getitem__)
    in_place = SequenceMatcher(None, order, sorted(order), autojunk=False).get_matching_blocks()
    kept = {number for block in in_place for number in order[block.a : block.a + block.size]}
    for number in sorted(set(order) - kept):
        notes.append(
            f"Problem {number:02d}: the answer cell stands at another place than in the course's notebook. It was graded there."
        )
    return Matched(answers, data, frozenset(checks), written, tuple(notes))


def is_blank(source: str) -> bool:
    """Whether a code cell holds nothing but comments."""
    return all(not line.strip() or line.lstrip().startswith("#") for line in source.splitlines())


def _identity(cell: Cell) -> tuple[str, int, bool]:
    """Return what a cell is, of which problem, and whether that is sure; ("", 0, False) for a cell of the student's own."""
    for label in (cell.id, *cell.tags):
        if found := _LABEL.fullmatch(label):
            return found[1], int(found[2]), True
    if cell.kind == "code" and (found := _CHECK_CALL.fullmatch(cell.source)):
        return "check", int(found[1]), True
    if found := _FIRST_LINE.match(cell.source):
        bare = not found[3]  # "# Problem 05" is the answer; "# Problem 05, a first try" only if nothing else is
        if cell.kind == "code" or bare:
            return ("data" if found[1] else "problem"), int(found[2]), bare
    return "", 0, False
