"""The part of the key that grading needs: for each problem its inputs and the lines to be printed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from answers.problems import NUMBERS, KeyFault, load_key
from chapters.practice_check import HASHES, Line, canonical


@dataclass(frozen=True)
class Inputs:
    """One set of inputs: the data cell's source and the output it leads to, in canonical form."""

    data: str
    expected: str


@dataclass(frozen=True)
class Entry:
    """A computed problem. Without a readable key `sets` is empty: the self-check's hashes judge, on the student's inputs."""

    number: int
    lines: tuple[Line, ...]
    sets: tuple[Inputs, ...]

    @property
    def name(self) -> str:
        return f"Problem {self.number:02d}"


@dataclass(frozen=True)
class Key:
    """What answers are graded against. `written` are the problems that have a part in words, which a person reads."""

    entries: tuple[Entry, ...]
    written: tuple[int, ...]

    @property
    def digest(self) -> str:
        """Changes when anything in the key does. Says nothing of its content."""
        return hashlib.sha256(json.dumps(dataclasses.asdict(self)).encode()).hexdigest()[:16]


def read_key(folder: Path) -> Key:
    """Read an instructor's whole key. Raises KeyFault if any of the problems is missing or faulty."""
    problems = load_key(folder)
    entries = []
    for problem in problems:
        if problem.computed:
            outputs = (canonical(problem.output, problem.lines), canonical(problem.second_output, problem.lines))
            sets = tuple(
                Inputs(data, output) for data, output in zip((problem.data, problem.second_data), outputs) if output
            )
            entries.append(Entry(problem.number, problem.lines, sets))
    return Key(tuple(entries), tuple(problem.number for problem in problems if problem.written))


def read_self_check(folder: Path | None, hashes: Path = HASHES) -> Key:
    """Read what a student has: the pages of the key that are there, if any, and hashes for the other problems.

    Raises KeyFault if a page that is there is faulty, or the hashes are missing.
    """
    try:
        stored = json.loads(hashes.read_text(encoding="utf-8"))["problems"]
    except (OSError, ValueError, KeyError) as error:
        raise KeyFault(
            f"The self-check's file {hashes} cannot be read ({error}). Get the whole course folder."
        ) from error
    published = [number for number in NUMBERS if folder and (folder / f"problem-{number:02d}.md").is_file()]
    known = {problem.number: problem for problem in load_key(folder, published)} if folder and published else {}
    entries = []
    for name, entry in sorted(stored.items()):
        number = int(name.removeprefix("problem-"))
        lines = tuple(Line(line["what"], line["decimals"], line["unit"]) for line in entry["lines"])
        sets: tuple[Inputs, ...] = ()
        if (problem := known.get(number)) is not None:
            outputs = (canonical(problem.output, lines), canonical(problem.second_output, lines))
            sets = tuple(
                Inputs(data, output) for data, output in zip((problem.data, problem.second_data), outputs) if output
            )
        entries.append(Entry(number, lines, sets))
    return Key(tuple(entries), tuple(number for number, problem in known.items() if problem.written))
