"""A pytest plugin: as nbval replays a notebook, hand its comparison every single-digit change of what is stored.

    python -m pytest -p mutation_plugin --mutation-report report.json chapters/uncertainty.ipynb

Each digit of each stored output is changed into each of the nine others, one at a time, and nbval's own comparison must
refuse every one. The report counts the changes tried and lists those that passed unseen.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from nbval.plugin import IPyNbCell

REPORT: dict[str, Any] = {"digits": 0, "changes": 0, "cells": 0, "unseen": []}


def single_digit_changes(outputs: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield (description, changed outputs) for each digit in each text of `outputs`."""
    for index, output in enumerate(outputs):
        holder, key = (output, "text") if output.output_type == "stream" else (output.get("data", {}), "text/plain")
        text = holder.get(key, "")
        for position, character in enumerate(text):
            if not (character.isascii() and character.isdigit()):
                continue
            REPORT["digits"] += 1
            for digit in "0123456789":
                if digit == character:
                    continue
                changed = copy.deepcopy(outputs)
                target = changed[index] if output.output_type == "stream" else changed[index]["data"]
                target[key] = text[:position] + digit + text[position + 1 :]
                yield f"{text[max(0, position - 12) : position + 12]!r}: {character} to {digit}", changed


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutation-report", required=False, help="where to write the counts, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    compare = IPyNbCell.compare_outputs

    def compare_and_mutate(self: IPyNbCell, test: Any, ref: Any, skip_compare: Any = None) -> bool:
        same = compare(self, test, ref, skip_compare)
        if same:
            REPORT["cells"] += 1
            for description, changed in single_digit_changes(list(ref)):
                REPORT["changes"] += 1
                if compare(self, test, changed, skip_compare):
                    REPORT["unseen"].append(f"{self.nodeid}: {description}")
            compare(self, test, ref, skip_compare)  # leaves the cell's own comparison as it was
        return same

    IPyNbCell.compare_outputs = compare_and_mutate


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("--mutation-report")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(REPORT, file, indent=1)
