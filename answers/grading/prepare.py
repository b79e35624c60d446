"""Make the notebook that nbval replays: the student's sources, the key's inputs, the key's outputs.

The student's stored outputs, tags, execution counts and kernel name never get here. nbval compares the cells that have an
execution count, and those are the answer cells. Comments that would tell nbval to skip a cell or to compare nothing stay
in the sources; the judge does not look at them. The notebook holds the key, so it is kept outside the sandbox.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from answers.grading.key import Entry, Key
from answers.grading.load import Cell
from answers.grading.match import Matched

# What the practice notebook's first cell brings in. It runs first even if the student has deleted that cell.
SETUP = "import math\nimport numpy\nimport practice_check"


def merge(cells: Sequence[Cell], matched: Matched, key: Key, inputs: int, left_out: Collection[int]) -> str:
    """Return the notebook to replay, as JSON.

    `inputs` is 0 for the first set and 1 for the second. `left_out` are positions in `cells` that are not run. Each
    cell's metadata tells the judge where it comes from: `position`, and for an answer `number`.
    """
    entries = {entry.number: entry for entry in key.entries}
    number_at = {position: number for number, position in matched.answers.items()}
    merged = [_code(SETUP)]
    ready = None  # the problem whose data cell ran last
    for position, cell in enumerate(cells):
        if position in left_out or position in matched.checks:
            continue
        if position in matched.data:
            number = matched.data[position]
            merged.append(_data(entries[number], inputs, cell, position))
            ready = number
        elif position in number_at:
            entry = entries[number_at[position]]
            if ready != entry.number and entry.sets:  # its data cell was moved, deleted or retyped
                merged.append(_data(entry, inputs, None, position))
                ready = entry.number
            merged.append(_answer(entry, inputs, cell, position))
        elif cell.kind == "code":
            merged.append(_code(cell.source, position=position))
    notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": merged}
    return json.dumps(notebook)


def _data(entry: Entry, inputs: int, cell: Cell | None, position: int) -> dict[str, Any]:
    if entry.sets:
        return _code(entry.sets[inputs].data, position=position)
    return _code(cell.source if cell else "", position=position)


def _answer(entry: Entry, inputs: int, cell: Cell, position: int) -> dict[str, Any]:
    answer = _code(cell.source, position=position, number=entry.number)
    answer["execution_count"] = 1
    if entry.sets:
        answer["outputs"] = [{"output_type": "stream", "name": "stdout", "text": entry.sets[inputs].expected}]
    return answer


def _code(source: str, **grading: int) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "source": source,
        "metadata": {"grading": grading},
        "outputs": [],
        "execution_count": None,
    }
