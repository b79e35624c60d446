"""One row of the gradebook: what is kept of a submission, and the arithmetic of its score."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from answers.grading.replay import Result

# graded; unreadable: the student's file is at fault; failed: the grader is, and the row says how
State = Literal["graded", "unreadable", "failed"]

CRITICAL_VALUE = 1.96


@dataclass(frozen=True)
class Row:
    """A submission's row. `fingerprint` is of everything the row depends on: the file, the key and the settings."""

    submission: str
    fingerprint: str
    state: State
    reason: str = ""
    results: tuple[Result, ...] = ()
    notes: tuple[str, ...] = ()
    written: dict[int, str] = dataclasses.field(default_factory=dict)

    @property
    def score(self) -> int:
        """How many problems are right."""
        return sum(result.status == "right" for result in self.results)

    @property
    def out_of(self) -> int:
        """How many problems the key has, whatever the notebook holds."""
        return len(self.results)

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Row:
        """Read a kept row. Raises ValueError, KeyError or TypeError if it is not one."""
        stored = json.loads(text)
        stored["results"] = tuple(Result(**result) for result in stored["results"])
        stored["notes"] = tuple(stored["notes"])
        stored["written"] = {int(number): answer for number, answer in stored["written"].items()}
        return cls(**stored)


def wilson(right: int, questions: int) -> tuple[float, float]:
    """Return the ends of the 95 percent Wilson score interval (Wilson 1927), as shares. `questions` is at least 1."""
    square = CRITICAL_VALUE**2
    share = right / questions
    centre = (right + square / 2) / (questions + square)
    half_width = CRITICAL_VALUE / (questions + square) * math.sqrt(share * (1 - share) * questions + square / 4)
    # At 0 and at all right the end is exactly 0 or 1; floating point would miss it by a hair.
    return (0.0 if right == 0 else centre - half_width, 1.0 if right == questions else centre + half_width)


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all. Characters that UTF-8 does not have become question marks."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(text.encode("utf-8", "replace"))
        os.replace(part, path)
    except OSError as error:
        error.filename = error.filename or str(path)  # a full disk does not say which file it refused
        raise
    finally:
        part.unlink(missing_ok=True)
