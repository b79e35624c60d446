#!/usr/bin/env python3
"""Put a 95 percent bootstrap interval on the accuracy of a graded set.

    python lab/bootstrap_ci.py                  the worked example of the Uncertainty chapter
    python lab/bootstrap_ci.py scores.csv       your own graded items, 0 for wrong and 1 for right

It works offline and needs only NumPy. The same file, seed and release of NumPy give the same bytes on every run.

Your own file may hold one value a line, a CSV table (comma, semicolon or tab, with or without a header), or a
JSON list. A value is 0, 1, 0.0, 1.0, true or false. Anything else is refused with its place in the file.

Method: the percentile bootstrap of Efron and Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13;
beside it the score interval of Wilson (1927), "Probable inference, the law of succession, and statistical
inference", Journal of the American Statistical Association 22, 209-212.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy
from numpy.typing import ArrayLike, NDArray

Z_STAR = 1.96  # critical value for 95 percent, as the course rounds it
RESAMPLES = 10_000
FEWEST_RESAMPLES, MOST_RESAMPLES = 1_000, 10_000_000  # 1,000 leaves 25 replicates beyond each end
ENOUGH_OF_EACH = 10  # right and wrong answers below which the percentile interval is not to be trusted
INDEX_DRAWS_LIMIT = 100_000_000  # up to here every index is drawn; about a second of work
SHOWN = 30  # labels and indices printed before a list is cut short
TILES = (1, 4, 16)

DEMO_LABELS = (1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1)

VALUES = {"0": 0, "0.0": 0, "false": 0, "1": 1, "1.0": 1, "true": 1}


class DataError(ValueError):
    """The data cannot be used; the message says what is wrong, where, and what to do."""


# The statistics


def as_labels(values: ArrayLike) -> NDArray[numpy.uint8]:
    """Return graded items as an array of 0 and 1, shape (items,).

    Raises DataError unless `values` is a non-empty flat sequence of 0, 1, False or True.
    """
    array = numpy.asarray(values)
    if array.ndim != 1 or array.size == 0:
        raise DataError("the labels must be a flat list with at least one item")
    if array.dtype.kind not in "buif" or not ((array == 0) | (array == 1)).all():
        raise DataError("every label must be 0 (wrong) or 1 (right)")
    return array.astype(numpy.uint8)


def draws_every_index(items: int, resamples: int = RESAMPLES) -> bool:
    """Say whether `bootstrap_accuracies` draws every index, or only the number right in each resample."""
    return items * resamples <= INDEX_DRAWS_LIMIT


def bootstrap_accuracies(values: ArrayLike, resamples: int = RESAMPLES, seed: int = 0) -> NDArray[numpy.float64]:
    """Return the accuracy of each bootstrap resample, shape (resamples,), each between 0 and 1.

    `values` holds the graded items, shape (items,). A resample is `integers(0, items, size=items)` from a fresh
    `numpy.random.default_rng(seed)`, one after another. Above INDEX_DRAWS_LIMIT draws in all that would take
    minutes, so only the number right is drawn: each index lands on a right item with probability right / items,
    independently, so that number is binomial(items, right / items). The distribution is the same; the random
    numbers are not. Memory stays within a few copies of the labels and of the result.

    Raises DataError for unusable labels and ValueError for a resample count below 1 or a negative seed.
    """
    labels = as_labels(values)
    if resamples < 1:
        raise ValueError("resamples must be at least 1")
    items = labels.size
    generator = numpy.random.default_rng(seed)
    if not draws_every_index(items, resamples):
        right = int(labels.sum(dtype=numpy.int64))
        return generator.binomial(items, right / items, size=resamples) / items

    right_counts = numpy.empty(resamples, dtype=numpy.int64)
    batch = max(1, 1_000_000 // items)  # resamples at a time; the draws do not depend on it
    for start in range(0, resamples, batch):
        rows = min(batch, resamples - start)
        indices = generator.integers(0, items, size=(rows, items))
        right_counts[start : start + rows] = labels[indices].sum(axis=1, dtype=numpy.int64)
    return right_counts / items


def percentile_interval(accuracies: ArrayLike) -> tuple[float, float]:
    """Return the 2.5th and 97.5th percentiles of the replicates, shape (resamples,), NumPy's default rule.

    Raises ValueError when there are no replicates.
    """
    replicates = numpy.asarray(accuracies, dtype=numpy.float64)
    if replicates.size == 0:
        raise ValueError("there must be at least one replicate")
    low, high = numpy.percentile(replicates, [2.5, 97.5])
    return float(low), float(high)


def wilson_interval(right: int, items: int) -> tuple[float, float]:
    """Return Wilson's 95 percent score interval for `right` of `items`, as shares between 0 and 1.

    Raises ValueError unless 0 <= right <= items and items >= 1. Source: Wilson (1927); Formula 12.4 of the course.
    """
    if not (items >= 1 and 0 <= right <= items):
        raise ValueError("right must lie between 0 and items, and items must be at least 1")
    share = right / items
    centre = (right + Z_STAR**2 / 2) / (items + Z_STAR**2)
    half_width = Z_STAR / (items + Z_STAR**2) * math.sqrt(share * (1 - share) * items + Z_STAR**2 / 4)
    # At the two extremes the end is exactly 0 or 1; rounding in the arithmetic must not push it past.
    low = 0.0 if right == 0 else centre - half_width
    high = 1.0 if right == items else centre + half_width
    return low, high


# The reader's own file


@dataclass(frozen=True)
class GradedFile:
    """Graded items read from a file, and what was done to find them."""

    labels: NDArray[numpy.uint8]  # shape (items,), 0 or 1
    column: str | None  # how the chosen column is called; None for a list without columns
    skipped: str | None  # header and blank lines left out, in words


def read_graded_file(path: Path, column: str | None = None) -> GradedFile:
    """Read graded items from `path`: one value a line, a CSV table, or a JSON list.

    `column` is the header or the number (from 1) of the column meant. Without it, a table of several columns must
    have exactly one that holds nothing but 0 and 1. Raises DataError for anything that cannot be used.
    """
    try:
        is_folder = path.is_dir()
        content = b"" if is_folder else path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"there is no file {path}. Check the name and the folder you are in.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from None
    if is_folder:
        raise DataError(f"{path} is a folder. Name the file in it that holds the graded items.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise DataError(f"{path} is not text in UTF-8. Save the graded items as plain text, CSV (UTF-8) or a JSON list.")
    if text.lstrip()[:1] in ("[", "{"):
        if column is not None:
            raise DataError(f"{path} is JSON, which has no columns. Leave out --column.")
        return _read_json(path, text)
    return _read_table(path, text, column)


def _quoted(value: object) -> str:
    """Return a value from the file in double quotes, made safe and short enough to print."""
    text = json.dumps(str(value).strip(), ensure_ascii=False)
    return text if len(text) <= 42 else text[:40] + '..."'


def _read_json(path: Path, text: str) -> GradedFile:
    if text.lstrip().startswith("{"):
        raise DataError(f"{path} holds JSON objects. One flat list is needed, such as [1, 0, 1].")
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}, line {error.lineno}: this is not valid JSON ({error.msg}).") from None
    except (ValueError, RecursionError):  # a number of thousands of digits; brackets thousands deep
        raise DataError(f"{path} is JSON, but not a plain list of 0 and 1.") from None
    if not values:
        raise DataError(f"{path} holds no items. A list such as [1, 0, 1] is needed.")
    labels = bytearray()
    for number, value in enumerate(values, start=1):
        if isinstance(value, (list, dict)):
            kind = "a list" if isinstance(value, list) else "an object"
            raise DataError(f"{path}, item {number}: {kind} stands where 0 or 1 is needed. Use one flat list.")
        label = VALUES.get(str(value).strip().lower())
        if label is None:
            shown = "null" if value is None else _quoted(value)
            raise DataError(f"{path}, item {number}: {shown} is neither 0 (wrong) nor 1 (right).")
        labels.append(label)
    return GradedFile(numpy.frombuffer(labels, dtype=numpy.uint8), None, None)


def _looks_like_data(cell: str) -> bool:
    """True for a truth value, a missing number, or anything that begins as a number does; a header is none of these.

    So "1 0 1 1" or "1x" in the first line is refused as data, and never taken for a header and passed over.
    """
    text = cell.strip().lower()
    return text in VALUES or text in ("nan", "inf", "null", "none") or re.match(r"[-+.\d]", text) is not None


@dataclass
class _Column:
    name: str
    labels: bytearray
    first_fault: str | None = None  # where and what, for the first cell that is neither 0 nor 1


def _read_table(path: Path, text: str, wanted: str | None) -> GradedFile:
    first_line = re.search(r"\S.*", text)
    # The most frequent of the three in the first line; with none of them there is one column whichever is chosen.
    delimiter = max(",;\t", key=first_line.group().count) if first_line else ","
    columns: list[_Column] = []
    header = False
    blank = 0
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if not any(cell.strip() for cell in row):
                blank += 1
                continue
            if not columns:
                header = not any(_looks_like_data(cell) for cell in row)
                columns = [
                    _Column(cell.strip() if header else str(number), bytearray())
                    for number, cell in enumerate(row, start=1)
                ]
                if header:
                    continue
            if len(row) != len(columns):
                raise DataError(
                    f"{path}, line {reader.line_num}: {_count(len(row), 'field')} where the first line has "
                    f"{len(columns)}. Give every line the same columns."
                )
            for column, cell in zip(columns, row):
                label = VALUES.get(cell.strip().lower())
                if label is not None:
                    column.labels.append(label)
                elif column.first_fault is None:
                    column.first_fault = f"line {reader.line_num}: {_quoted(cell)}"
    except csv.Error as error:
        raise DataError(f"{path}, line {reader.line_num}: this is not a CSV table ({error}).") from None

    chosen = _choose_column(path, columns, header, wanted)
    if chosen.first_fault is not None:
        raise DataError(f"{path}, {chosen.first_fault} is neither 0 (wrong) nor 1 (right).")
    if not chosen.labels:
        raise DataError(f"{path} holds a header and no items. Put one 0 or 1 on each line below it.")
    named = _quoted(chosen.name) if header else chosen.name
    skipped = [_count(1, "header line")] if header else []
    skipped += [_count(blank, "blank line")] if blank else []
    return GradedFile(
        numpy.frombuffer(chosen.labels, dtype=numpy.uint8),
        f"{named} (of {len(columns)})" if header or len(columns) > 1 else None,
        ", ".join(skipped) or None,
    )


def _choose_column(path: Path, columns: Sequence[_Column], header: bool, wanted: str | None) -> _Column:
    if not columns:
        raise DataError(f"{path} holds no items. Put one 0 (wrong) or 1 (right) on each line.")
    names = ", ".join(_quoted(column.name) if header else column.name for column in columns[:12])
    if wanted is not None:
        matches = [column for column in columns if column.name == wanted.strip()] or [
            column for number, column in enumerate(columns, start=1) if str(number) == wanted.strip()
        ]
        if len(matches) != 1:
            problem = "has no column" if not matches else "has more than one column called"
            raise DataError(f"{path} {problem} {_quoted(wanted)}. Its columns: {names}. A number (1 = first) works too.")
        return matches[0]
    if len(columns) == 1:
        return columns[0]
    usable = [column for column in columns if column.first_fault is None and column.labels]
    if len(usable) == 1:
        return usable[0]
    if usable:
        listed = ", ".join(_quoted(column.name) if header else column.name for column in usable[:12])
        raise DataError(f"{path}: more than one column holds only 0 and 1 ({listed}). Choose with --column.")
    faults = "; ".join(
        f"column {_quoted(column.name) if header else column.name}, {column.first_fault or 'no items'}"
        for column in columns[:6]
    )
    raise DataError(f"{path}: no column holds only 0 and 1. First misfit in each: {faults}. Choose with --column.")


# The report


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _listed(values: NDArray) -> str:
    """Return the values as a Python list on one line, cut short after SHOWN."""
    text = ", ".join(str(int(value)) for value in values[:SHOWN])
    return f"[{text}]" if len(values) <= SHOWN else f"[{text}, ...]"


def _decimals(width: float, fewest: int) -> int:
    """Return how many decimals show two digits of a width, so that a narrow interval keeps its ends apart."""
    return fewest if width == 0 else max(fewest, 1 + math.ceil(-math.log10(width)))


def _interval_lines(accuracy: float, low: float, high: float, kind: str) -> str:
    width = high - low
    full, short = _decimals(width, fewest=4), _decimals(width, fewest=2)
    return (
        f"low: {low:.{full}f}\nhigh: {high:.{full}f}\nwidth: {width:.{full}f}\n"
        f"accuracy = {accuracy:.{short}f}, {kind} [{low:.{short}f}, {high:.{short}f}]"
    )


def _binomial_note(which: str) -> str:
    return (
        f"\n{which}, the number right in each resample was drawn from its binomial distribution and not index by index:"
        "\nexactly the same distribution, other random numbers."
    )


def set_block(labels: NDArray[numpy.uint8]) -> str:
    right = int(labels.sum(dtype=numpy.int64))
    return f"labels: {_listed(labels)}\nright: {right}\nitems: {labels.size}\naccuracy: {right / labels.size:.4f}"


def mechanic_block(labels: NDArray[numpy.uint8], seed: int = 0) -> str:
    generator = numpy.random.default_rng(seed)
    lines = []
    for draw in (1, 2, 3):
        indices = generator.integers(0, labels.size, size=labels.size)
        right = int(labels[indices].sum(dtype=numpy.int64))
        lines += [
            f"draw {draw} {_listed(indices)}",
            f"right: {right} of {labels.size}",
            f"accuracy: {right / labels.size:.4f}",
        ]
    return "\n".join(lines)


def full_bootstrap_block(labels: NDArray[numpy.uint8], resamples: int = RESAMPLES, seed: int = 0) -> str:
    accuracies = bootstrap_accuracies(labels, resamples, seed)
    low, high = percentile_interval(accuracies)
    block = f"resamples: {resamples}\nmean: {accuracies.mean():.4f}\n"
    block += _interval_lines(labels.mean(), low, high, "95% CI")
    if not draws_every_index(labels.size, resamples):
        block += _binomial_note("With this many draws")
    return block


def growing_sets_block(labels: NDArray[numpy.uint8], resamples: int = RESAMPLES, seed: int = 0) -> str:
    lines = ["items low high width times tighter"]
    width_above = None
    for tiles in TILES:
        low, high = percentile_interval(bootstrap_accuracies(numpy.tile(labels, tiles), resamples, seed))
        width = high - low
        digits = _decimals(width, fewest=4)
        cells = [str(labels.size * tiles), f"{low:.{digits}f}", f"{high:.{digits}f}", f"{width:.{digits}f}"]
        if width_above is not None:
            cells.append(f"{width_above / width:.2f}" if width else "-")
        lines.append(" ".join(cells))
        width_above = width
    block = "\n".join(lines)
    if draws_every_index(labels.size, resamples) and not draws_every_index(labels.size * TILES[-1], resamples):
        block += _binomial_note(f"In the sets of more than {INDEX_DRAWS_LIMIT // resamples:,}")
    return block


def wilson_block(labels: NDArray[numpy.uint8]) -> str:
    items = labels.size
    right = int(labels.sum(dtype=numpy.int64))
    wrong = items - right
    low, high = wilson_interval(right, items)
    lines = [_interval_lines(right / items, low, high, "95% Wilson CI")]
    if right == 0 or wrong == 0:
        lines.append(
            f"Do not publish the bootstrap interval: every answer is {'wrong' if wrong else 'right'}, so every resample "
            "is the same and the interval has no width. That is not certainty. Publish Wilson."
        )
    elif min(right, wrong) < ENOUGH_OF_EACH:
        scarce, kind = min((right, "right"), (wrong, "wrong"))
        lines.append(
            f"Too few to trust the bootstrap interval: {_count(scarce, kind + ' answer')}, "
            f"and it needs at least {ENOUGH_OF_EACH} right and {ENOUGH_OF_EACH} wrong. Publish Wilson."
        )
    return "\n".join(lines)


def report(labels: NDArray[numpy.uint8], resamples: int = RESAMPLES, seed: int = 0, notes: Sequence[str] = ()) -> str:
    """Return the four blocks of the chapter as one text: set, mechanic, full bootstrap, growing sets.

    `labels` has shape (items,); `notes` are lines put in front of the first block's own.
    """
    blocks = {
        "The set": "\n".join([*notes, set_block(labels)]),
        "The mechanic: three resamples": mechanic_block(labels, seed),
        "The full bootstrap": full_bootstrap_block(labels, resamples, seed),
        "Growing sets: the same items repeated, a thought experiment that adds no evidence": growing_sets_block(
            labels, resamples, seed
        ),
    }
    return "\n\n".join(f"{title}\n{body}" for title, body in blocks.items())


# The command


def _whole_number(lowest: int, highest: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) <= 40):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
        number = int(text)
        if not lowest <= number <= highest:
            raise argparse.ArgumentTypeError(f"{number} is outside {lowest:,} to {highest:,}")
        return number

    return parse


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 when the arguments or the data are refused (the reason goes to stderr)."""
    parser = argparse.ArgumentParser(
        prog="bootstrap_ci.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path, help="your graded items; without it, the chapter's 30 items")
    parser.add_argument("--column", metavar="NAME", help="the column to read: its header, or its number from 1")
    parser.add_argument(
        "--resamples",
        type=_whole_number(FEWEST_RESAMPLES, MOST_RESAMPLES),
        default=RESAMPLES,
        metavar="B",
        help=f"how many resamples, {FEWEST_RESAMPLES:,} to {MOST_RESAMPLES:,} (default {RESAMPLES:,})",
    )
    parser.add_argument("--seed", type=_whole_number(0, 2**64 - 1), default=0, metavar="S", help="seed, from 0 (default 0)")
    options = parser.parse_args(arguments)
    if options.file is None and options.column is not None:
        parser.error("--column needs a file to look in")

    if options.file is None:
        text = report(as_labels(DEMO_LABELS), options.resamples, options.seed)
    else:
        try:
            graded = read_graded_file(options.file, options.column)
        except DataError as error:
            print(f"{parser.prog}: {error}", file=sys.stderr)
            return 2
        notes = [f"file: {options.file}"]
        notes += [f"column: {graded.column}"] if graded.column else []
        notes += [f"skipped: {graded.skipped}"] if graded.skipped else []
        text = report(graded.labels, options.resamples, options.seed, notes)
        text += f"\n\nWilson's interval, beside it\n{wilson_block(graded.labels)}"
    sys.stdout.reconfigure(errors="backslashreplace")  # a file's name may hold what the terminal cannot show
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
