"""Grade one submission: replay it on the first inputs, then on the second, and say in words what came of each problem."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from answers.grading import judge
from answers.grading.judge import Outcome
from answers.grading.kernel import WatchedKernel
from answers.grading.key import Entry, Key
from answers.grading.load import Cell
from answers.grading.match import Matched, is_blank, match
from answers.grading.prepare import merge
from answers.grading.sandbox import STUB, Limits
from chapters import practice_check

Status = Literal["right", "wrong", "typed in", "error", "stopped", "not yet", "missing"]

# The text that a sandboxed run on the first inputs shows is the student's own. The run on the second inputs says nothing of
# what was printed or raised, because the code could print the inputs, which are the key's.
TYPED_IN = (
    "Right for the numbers in the notebook, but not when the inputs change. "
    "Compute with the names from the data cell instead of typing numbers."
)


@dataclass(frozen=True)
class Result:
    """What became of one problem: a status for tables and a sentence for the student."""

    number: int
    status: Status
    sentence: str


@dataclass(frozen=True)
class Graded:
    """A submission's results in the key's order, what was out of place, and the written answers for a person to read."""

    results: tuple[Result, ...]
    notes: tuple[str, ...]
    written: dict[int, str]


def grade(cells: Sequence[Cell], key: Key, limits: Limits, sandboxed: bool, folder: Path) -> Graded:
    """Grade a submission's cells. The notebooks to replay, which hold the key, are written into `folder`.

    Raises KernelFailed if no kernel starts.
    """
    numbers = [entry.number for entry in key.entries]
    matched = match(cells, numbers)
    rounds = _Rounds(cells, matched, key, limits, sandboxed, folder)
    first = rounds.replay(0)
    right = [entry for entry in key.entries if _outcome(first, matched, entry) == "same" and len(entry.sets) > 1]
    second = rounds.replay(1) if right else {}
    results = [_result(entry, cells, matched, first, second) for entry in key.entries]
    notes = list(matched.notes)
    for position, outcome in sorted(rounds.stopped.items()):
        if position not in matched.answers.values():
            notes.append(
                f"Cell {position + 1}, one of your own, {outcome.text}. It was left out, and the rest was graded without it."
            )
    return Graded(tuple(results), tuple(notes), matched.written)


class _Rounds:
    """Replays a notebook as often as it takes: each round leaves out the cells that stopped those before."""

    def __init__(
        self, cells: Sequence[Cell], matched: Matched, key: Key, limits: Limits, sandboxed: bool, folder: Path
    ) -> None:
        self.cells, self.matched, self.key = cells, matched, key
        self.limits, self.sandboxed, self.folder = limits, sandboxed, folder
        self.stopped: dict[int, Outcome] = {}
        self.until = time.monotonic() + limits.submission_seconds
        self.home = folder / "home"  # where the code runs if there is no sandbox
        self.home.mkdir()
        (self.home / "practice_check.py").write_bytes(STUB.read_bytes())

    def replay(self, inputs: int) -> dict[int, Outcome]:
        """Return the outcome of each cell, by position, on one set of inputs."""
        entries = {entry.number: entry for entry in self.key.entries}
        path = self.folder / f"inputs-{inputs + 1}.ipynb"
        outcomes: dict[int, Outcome] = {}
        while time.monotonic() < self.until:
            path.write_text(merge(self.cells, self.matched, self.key, inputs, self.stopped), encoding="utf-8")
            outcomes = judge.replay(path, entries, self._start_kernel, self.until)
            new = {position: outcome for position, outcome in outcomes.items() if outcome.kind == "stopped"}
            if not new:
                break
            self.stopped |= new
        return outcomes | self.stopped  # a cell that was stopped is not run again, on no inputs

    def _start_kernel(self) -> WatchedKernel:
        return WatchedKernel(self.limits, self.sandboxed, self.home)


def _outcome(outcomes: dict[int, Outcome], matched: Matched, entry: Entry) -> str:
    position = matched.answers.get(entry.number, -1)
    return outcomes[position].kind if position in outcomes else ""


def _result(
    entry: Entry, cells: Sequence[Cell], matched: Matched, first: dict[int, Outcome], second: dict[int, Outcome]
) -> Result:
    if entry.number not in matched.answers:
        return Result(entry.number, "missing", "The notebook has no answer cell for this problem.")
    position = matched.answers[entry.number]
    if is_blank(cells[position].source):
        return Result(entry.number, "not yet", "The answer cell is empty.")
    outcome = first.get(position)
    if outcome is None:
        return Result(entry.number, "stopped", "It was not reached: cells before it used up the notebook's whole time.")
    if outcome.kind == "stopped":
        return Result(
            entry.number, "stopped", f"It {outcome.text}, so it was stopped. The other problems were graded without it."
        )
    if outcome.kind == "error":
        return Result(entry.number, "error", f"It stopped with an error: {plain(outcome.text, 200)}")
    if outcome.kind == "differs":
        return Result(entry.number, "wrong", _why(entry, outcome))
    if len(entry.sets) < 2:
        return Result(entry.number, "right", "It fits the numbers in the notebook. It was not tried on others.")
    again = second.get(position)
    if again is None:
        return Result(
            entry.number,
            "stopped",
            "Right for the numbers in the notebook, but the notebook's time was used up before it could be tried on others.",
        )
    if again.kind == "same":
        return Result(entry.number, "right", "It is right for other inputs, too.")
    if again.kind == "stopped":
        return Result(
            entry.number,
            "stopped",
            "Right for the numbers in the notebook, but on other inputs it did not end as it should and was stopped.",
        )
    if again.kind == "error":
        return Result(
            entry.number,
            "typed in",
            "Right for the numbers in the notebook, but on other inputs it stops with an error.",
        )
    return Result(entry.number, "typed in", TYPED_IN)


def _why(entry: Entry, outcome: Outcome) -> str:
    """Say what is wrong with a printed answer, without saying what is right."""
    if outcome.value_unprinted:
        return "It printed nothing. Its last line shows a value: put that value inside print( )."
    printed = [line for line in outcome.text[: judge.LONGEST_ANSWER].splitlines() if line.strip()]
    if not printed:
        return "It printed nothing."
    if len(printed) != len(entry.lines):
        return (
            f"It printed {len(printed)} line{'s' * (len(printed) != 1)}, and the problem asks for {len(entry.lines)}."
        )
    if not entry.sets:
        verdict = practice_check.judge(entry.number, outcome.text)
        return plain(" ".join((verdict.kind.capitalize() + ".",) + verdict.sentences), 400)
    said = []
    for place, (text, line, answer) in enumerate(
        zip(printed, entry.lines, entry.sets[0].expected.splitlines()), start=1
    ):
        verdict = practice_check.judge_line(text, line, answer.__eq__)
        if verdict.kind != practice_check.RIGHT:
            said.append(" ".join((f"Line {place}, {line.what}: {verdict.kind}.",) + verdict.sentences))
    return plain(" ".join(said), 400)


def plain(text: str, longest: int) -> str:
    """Return text on one line, without characters that files or terminals choke on, and not longer than `longest`."""
    text = " ".join(printable(text).split())
    return text if len(text) <= longest else text[: longest - 3] + "..."


def printable(text: str) -> str:
    """Return text with a space for each character that files or terminals choke on, line ends among them."""
    text = text.encode("utf-8", "replace").decode()
    return "".join(character if character.isprintable() else " " for character in text)
