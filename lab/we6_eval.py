#!/usr/bin/env python3
"""Summarise one evaluation, question by question, as a JSON file.

The input is a CSV file with the header ``question,right``: the questions numbered 1, 2, 3, ... and a 1
where the answer was right, a 0 where it was wrong. The output holds the score, its standard error, three
intervals by formula and one by the bootstrap. README.md, beside this script, explains every key.

What was evaluated is not in the CSV file. It stands in a TOML file of the same name, if there is one
(``we6_results.toml`` for ``we6_results.csv``), with any of the texts ``model``, ``test``, ``procedure`` and
``when_where``. Without that file those four keys are null: the script never guesses whose results it reads.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy

FORMAT = {"name": "we6-eval", "version": 1}
COLUMNS = ["question", "right"]
DESCRIPTION_KEYS = ["model", "test", "procedure", "when_where"]

LEVEL = 0.95  # confidence level of every interval
Z = 1.96  # its critical value, rounded as in the chapter
SEED = 20260912
RESAMPLES = 10_000

HERE = Path(__file__).resolve().parent
DEFAULT_INPUT = HERE / "we6_results.csv"
DEFAULT_OUTPUT = HERE / "out" / "we6_eval.json"


class Refusal(Exception):
    """The run cannot go on; the message says where, what is wrong and what to do, in one sentence."""


# --- Reading -----------------------------------------------------------------------------------------


def _read_text(path: Path) -> str:
    """Return the text of a UTF-8 file, with or without a byte order mark; raise Refusal otherwise."""
    if path.is_dir():
        raise Refusal(f"{path}: this is a folder; name a file inside it")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise Refusal(f"{path}: there is no such file; check its name and folder") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise Refusal(f"{path}, line {line}: this is not UTF-8 text; save the file again as UTF-8") from None
    except OSError as error:
        raise Refusal(f"{path}: the file cannot be read ({error.strerror}); check its permissions") from None


def read_results(path: Path) -> list[int]:
    """Read the results of an evaluation.

    Returns a list of length n, at least 1: 1 where the question was answered right, 0 where not, in order.
    A byte order mark, Windows line ends and blank lines at the end are accepted.
    Raises Refusal for any other departure from the format described at the top of this module.
    """
    text = _read_text(path).rstrip()
    if not text:
        raise Refusal(f"{path}, line 1: the file is empty; begin it with the header {','.join(COLUMNS)}")

    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    results: list[int] = []
    try:
        _check_header(path, [name.strip() for name in next(reader)])
        for row in reader:
            results.append(_read_row(path, reader.line_num, [field.strip() for field in row], len(results)))
    except csv.Error as error:
        raise Refusal(
            f"{path}, line {reader.line_num}: this is not valid CSV ({error}); write two plain values and one comma"
        ) from None

    if not results:
        raise Refusal(f"{path}, line 2: there are no results below the header; add one line per question, such as 1,0")
    return results


def _check_header(path: Path, header: list[str]) -> None:
    """Raise Refusal unless the header holds exactly the two columns, in order."""
    if header == COLUMNS:
        return
    wanted = ",".join(COLUMNS)
    missing = [name for name in COLUMNS if name not in header]
    problem = f"the column {missing[0]} is missing" if len(missing) == 1 else "the header is wrong"
    raise Refusal(f"{path}, line 1: {problem} (found {','.join(header) or 'a blank line'}); make the first line {wanted}")


def _read_row(path: Path, line: int, row: list[str], questions_before: int) -> int:
    """Return the 0 or 1 of one line; raise Refusal if the line is not the next question's result."""
    expected = questions_before + 1
    where = f"{path}, line {line}"
    if not any(row):
        raise Refusal(f"{where}: there is a blank line between the results; delete it")
    if len(row) != len(COLUMNS):
        raise Refusal(f"{where}: {len(row)} value(s) found where 2 belong; write the question number, a comma, and 0 or 1")

    question, right = row
    if question != str(expected):
        earlier = [str(number) for number in range(1, expected)]
        problem = "appears twice" if question in earlier else "is out of order or follows a missing one"
        raise Refusal(
            f'{where}: question "{question}" {problem}, since question {expected} belongs here; '
            "number the questions 1, 2, 3, ... without gaps"
        )
    if right not in ("0", "1"):
        raise Refusal(f'{where}: right is "{right}" but must be 0 or 1; write 1 for a right answer and 0 for a wrong one')
    return int(right)


def read_description(path: Path) -> dict[str, str | None]:
    """Read what was evaluated from a TOML file, which need not exist.

    Returns the four texts of DESCRIPTION_KEYS, None for each that is not given.
    Raises Refusal if the file is not TOML, or holds another key or a value that is not text.
    """
    description: dict[str, str | None] = dict.fromkeys(DESCRIPTION_KEYS)
    if not path.exists():
        return description
    try:
        given = tomllib.loads(_read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Refusal(f'{path}: this is not valid TOML ({error}); write lines such as model = "name"') from None
    for key, value in given.items():
        if key not in description:
            raise Refusal(f'{path}: the key "{key}" is unknown; use only {", ".join(DESCRIPTION_KEYS)}')
        if not isinstance(value, str):
            raise Refusal(f"{path}: the value of {key} is not text; put it between quotation marks")
        description[key] = value
    return description


# --- Computing ---------------------------------------------------------------------------------------
# Proportions are shares between 0 and 1, without unit. `right` of `questions` were answered right.


def standard_error(right: int, questions: int) -> float:
    """Return the estimated standard error of a sample proportion, sqrt(p(1 - p) / n), as a share."""
    accuracy = right / questions
    return math.sqrt(accuracy * (1 - accuracy) / questions)


def wald_interval(right: int, questions: int, z: float = Z) -> tuple[float, float]:
    """Return the ends (low, high) of the Wald interval: the proportion, give or take z standard errors.

    Source: Laplace 1812, from the normal approximation; it carries Wald's name for inverting his test
    (Wald 1943, Transactions of the American Mathematical Society 54). Not clipped: an end can lie outside 0 to 1.
    """
    accuracy = right / questions
    margin = z * standard_error(right, questions)
    return accuracy - margin, accuracy + margin


def wilson_interval(right: int, questions: int, z: float = Z) -> tuple[float, float]:
    """Return the ends (low, high) of the Wilson score interval; both lie within 0 to 1.

    Source: Wilson 1927, Journal of the American Statistical Association 22, 209-212.
    """
    accuracy = right / questions
    centre = (right + z**2 / 2) / (questions + z**2)
    half_width = z / (questions + z**2) * math.sqrt(accuracy * (1 - accuracy) * questions + z**2 / 4)
    # At no right answer the lower end is exactly 0, at all right the upper is exactly 1; rounding may miss them.
    low = 0.0 if right == 0 else centre - half_width
    high = 1.0 if right == questions else centre + half_width
    return low, high


def plus_four_interval(right: int, questions: int, z: float = Z) -> tuple[float, float]:
    """Return the ends (low, high) of the plus four interval: Wald's, after adding two right and two wrong.

    Source: Agresti and Coull 1998, The American Statistician 52, 119-126: "add two successes and two
    failures". Not clipped: an end can lie outside 0 to 1.
    """
    return wald_interval(right + 2, questions + 4, z)


def bootstrap_right(results: Sequence[int], resamples: int = RESAMPLES, seed: int = SEED) -> list[int]:
    """Return how many answers are right in each resample: a list of length `resamples`.

    Each resample draws n of the n results with replacement, by one call of `choice` on one generator, so
    these are the chapter's draws. Source: Efron 1979, The Annals of Statistics 7, 1-26.
    """
    random_generator = numpy.random.default_rng(seed)
    values = numpy.array(results)
    return [int(random_generator.choice(values, size=len(values), replace=True).sum()) for _ in range(resamples)]


def summarise_bootstrap(resampled_right: Sequence[int], right: int, questions: int) -> dict[str, Any]:
    """Return mean, standard error, percentile interval, distinct scores and misses of the resampled scores.

    `resampled_right` is what bootstrap_right returned. Sums are taken over whole numbers, and ranks too, so
    that the figures come out the same, to the last bit, on every machine.
    """
    resamples = len(resampled_right)
    total = sum(resampled_right)
    total_of_squares = sum(count**2 for count in resampled_right)
    ordered = sorted(resampled_right)
    low_rank = math.ceil(resamples * 25 / 1000)
    high_rank = math.ceil(resamples * 975 / 1000)
    how_often = Counter(resampled_right)
    missed = resamples - how_often[right]
    return {
        "mean": total / (resamples * questions),
        "standard_error": math.sqrt(resamples * total_of_squares - total**2) / (resamples * questions),
        "percentile_interval": {
            "low": ordered[low_rank - 1] / questions,
            "high": ordered[high_rank - 1] / questions,
            "level": LEVEL,
            "low_rank": low_rank,
            "high_rank": high_rank,
            "rule": "the resampled scores at these ranks, sorted from low to high and counted from 1: "
            "ceil(0.025 B) and ceil(0.975 B) for B resamples (numpy.percentile, method inverted_cdf)",
        },
        "distinct_scores": [
            {"score": count / questions, "resamples": how_often[count]} for count in sorted(how_often)
        ],
        "missed": {"resamples": missed, "share": missed / resamples},
    }


def half_scores(results: Sequence[int]) -> list[dict[str, Any]]:
    """Return the score of the first and of the second half of the questions.

    An odd question in the middle goes to the second half. One question has no halves: the list is empty.
    """
    middle = len(results) // 2
    if middle == 0:
        return []
    halves = []
    for start, part in [(1, results[:middle]), (middle + 1, results[middle:])]:
        halves.append({
            "first_question": start,
            "last_question": start + len(part) - 1,
            "questions": len(part),
            "right": sum(part),
            "accuracy": sum(part) / len(part),
        })
    return halves


def evaluate(results: Sequence[int], source: str, description: dict[str, str | None]) -> dict[str, Any]:
    """Return everything the output file holds, for a sequence of n results, each 0 or 1.

    `source` is the name of the file the results came from; `description` is what read_description returned.
    """
    questions, right = len(results), sum(results)
    formulas = {"wald": wald_interval, "wilson": wilson_interval, "plus_four": plus_four_interval}
    intervals = {}
    for name, formula in formulas.items():
        low, high = formula(right, questions)
        intervals[name] = {"low": low, "high": high, "level": LEVEL, "z": Z}
    return {
        "format": FORMAT,
        "source": source,
        **description,
        "results": list(results),
        "counts": {"questions": questions, "right": right, "wrong": questions - right},
        "accuracy": right / questions,
        "halves": half_scores(results),
        "standard_error": standard_error(right, questions),
        "intervals": intervals,
        "bootstrap": {
            "seed": SEED,
            "resamples": RESAMPLES,
            "generator": "numpy.random.default_rng",
            "draw": f"choice(results, size={questions}, replace=True), one call per resample, mean of each",
            **summarise_bootstrap(bootstrap_right(results), right, questions),
        },
    }


# --- Writing -----------------------------------------------------------------------------------------


def check_output(path: Path, inputs: Sequence[Path]) -> None:
    """Raise Refusal if the output cannot be meant: a folder, a device, an input, or in a folder that is not there."""
    if path.is_dir():
        raise Refusal(f"{path}: the output is a folder; add a file name, such as {path / DEFAULT_OUTPUT.name}")
    if path.exists() and not path.is_file():
        raise Refusal(f"{path}: the output is not an ordinary file; name one with --output")
    if not path.parent.is_dir():
        raise Refusal(f"{path}: the output's folder {path.parent} does not exist; make it first")
    if path.resolve() in [source.resolve() for source in inputs]:
        raise Refusal(f"{path}: the output would replace an input; name another file with --output")


def write_json(value: Any, path: Path) -> None:
    """Write a value as JSON, whole or not at all: into a new file in the same folder, then moved into place.

    Raises Refusal if that fails; an earlier file at `path` then stays as it was.
    """
    target = path.resolve()  # so that a link keeps pointing at the file
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    content = (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
    try:
        with temporary.open("xb") as file:
            file.write(content)
        os.replace(temporary, target)
    except OSError as error:
        raise Refusal(
            f"{path}: the output cannot be written ({error.strerror}); free some room or name a folder you may write in with --output"
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


# --- The command -------------------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return 0, or 2 after one sentence on standard error."""
    parser = argparse.ArgumentParser(
        prog="we6_eval.py",
        description="Summarise one evaluation as JSON: score, standard error, Wald, Wilson and plus four "
        f"intervals, and {RESAMPLES:,} bootstrap resamples with seed {SEED}.",
        epilog="Example: python we6_eval.py my_results.csv --output my_eval.json. The first lines of "
        "my_results.csv: question,right then 1,0 then 2,1. To say in the output what was evaluated, put a file "
        'my_results.toml beside it, with lines such as model = "name"; keys: ' + ", ".join(DESCRIPTION_KEYS) + ".",
    )
    parser.add_argument("input", metavar="INPUT", nargs="?", type=Path, default=DEFAULT_INPUT,
                        help="CSV file with the header question,right (default: we6_results.csv beside this script)")
    parser.add_argument("--output", metavar="FILE", type=Path,
                        help="JSON file to write (default: INPUT with the ending .json; for the course's own "
                        "results out/we6_eval.json beside this script)")
    options = parser.parse_args(arguments)
    if options.output is None:
        # A reader's results never replace the course's own summary unasked.
        own = options.input.resolve() == DEFAULT_INPUT
        options.output = DEFAULT_OUTPUT if own else options.input.with_suffix(".json")
    try:
        results = read_results(options.input)
        description_path = options.input.with_suffix(".toml")
        description = read_description(description_path)
        check_output(options.output, [options.input, description_path])
        summary = evaluate(results, options.input.name, description)
        write_json(summary, options.output)
    except Refusal as refusal:
        print(f"we6_eval: {refusal}.", file=sys.stderr)
        return 2
    counts, wilson = summary["counts"], summary["intervals"]["wilson"]
    print(f"{counts['right']} of {counts['questions']} right, {100 * summary['accuracy']:.1f} percent; "
          f"95 percent Wilson interval {100 * wilson['low']:.1f} to {100 * wilson['high']:.1f} percent.")
    print(f"Wrote {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
