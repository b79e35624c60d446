"""Tells a student, in the practice notebook, whether a printed answer is right.

The notebook's first cell calls `start()`. From then on the text that each answer cell prints is remembered, and
`check(5)` compares what Problem 5 printed with `practice_check.json` beside this file. That file holds no answers.
It holds one salted scrypt hash for each line to be printed: turning a guess into its hash takes about a tenth of a
second on purpose, so trying every number with four decimals takes a quarter of an hour a line. This keeps answers out
of sight. It does not make guessing impossible: a line with few possible values (a whole number, True or False) can be
searched, and the check is for the student's own use. Marks come from the instructor's key.

Only the standard library is used, and nothing is sent anywhere.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, Protocol

RIGHT = "right"
WRONG_ROUNDING = "right number, wrong rounding"
NOT_YET = "not yet"

Kind = Literal["right", "right number, wrong rounding", "not yet"]
Unit = Literal["", "percent", "percentage points", "fraction", "true or false"]

HASHES = Path(__file__).with_name("practice_check.json")
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Asked(Protocol):
    """What one printed line should be. `decimals` is used by numbers only."""

    @property
    def decimals(self) -> int: ...
    @property
    def unit(self) -> str: ...


@dataclass(frozen=True)
class Line:
    """One line that a problem asks for: what it is, its number of decimals, its unit."""

    what: str
    decimals: int = 0
    unit: Unit = ""


@dataclass(frozen=True)
class Verdict:
    """The outcome for one line or one problem, with the sentences that explain it."""

    kind: Kind
    sentences: tuple[str, ...] = ()


# --- Reading what was printed -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """One printed line, understood: its value, its unit, and a sentence if it was not plain."""

    value: Decimal | Fraction | bool
    unit: str
    note: str = ""


_NUMPY_SCALAR = re.compile(r"(?:np|numpy)\.(?:float|u?int|bool)\d*_?\((.*)\)")
_NUMPY_BOOL = re.compile(r"(?:np|numpy)\.(True|False)_")
_FRACTION = re.compile(r"([0-9]{1,20})\s*/\s*([0-9]{1,20})")
_NUMBER = re.compile(
    r"(?P<number>[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?|[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?)"
    r"\s*(?P<unit>%|[a-z][a-z ]*)?\.?",
    re.IGNORECASE,
)
_DECIMAL_COMMA = re.compile(r"\b[0-9]+,[0-9]+\b")
_UNITS = {
    None: "",
    "%": "percent",
    "percent": "percent",
    "per cent": "percent",
    "percentage points": "percentage points",
    "percentage point": "percentage points",
    "points": "percentage points",
    "pp": "percentage points",
}


def read(text: str) -> Reading | None:
    """Understand one printed line, or return None if it is not one number, fraction or True/False.

    Accepts `0.25`, `.25`, `0.250`, `1,536.64`, `1e-3`, `25%`, `25 percent`, `25.0 percentage points`, `12/20`,
    `np.float64(0.25)`, `True`.
    """
    shown = " ".join(text.split())
    plain = shown.replace("\N{MINUS SIGN}", "-")
    note = ""
    if inside := _NUMPY_SCALAR.fullmatch(plain):
        plain = inside[1].strip()
        note = f"I read {shown} as {plain}: the rest is NumPy's name for the kind of number."
    elif inside := _NUMPY_BOOL.fullmatch(plain):
        plain = inside[1]
        note = f"I read {shown} as {plain}: NumPy's way to write it."
    if plain in ("True", "False"):
        return Reading(plain == "True", "true or false", note)
    if match := _FRACTION.fullmatch(plain):
        if int(match[2]) == 0:
            return None
        return Reading(Fraction(int(match[1]), int(match[2])), "fraction", note)
    match = _NUMBER.fullmatch(plain)
    if match is None:
        return None
    word = match["unit"].lower().strip() if match["unit"] else None
    if word not in _UNITS:
        return None
    unit = _UNITS[word]
    digits = match["number"].replace(",", "")
    value = Decimal(digits)
    if value.adjusted() > 15 or value.adjusted() < -400:
        return None  # no answer is that large, no float is that small
    if value == 0 and value.is_signed():
        value = abs(value)
        note = f"I read {shown} as 0: zero has no sign, the minus is a leftover of the computer's rounding."
    elif word in ("%", "per cent", "points", "pp"):
        note = f"I read {shown} as {_tidy(value)} {unit}."
    elif "," in match["number"]:
        note = f"I read {shown} as {_tidy(value)}: the comma groups thousands."
    return Reading(value, unit, note)


def _tidy(value: Decimal) -> str:
    """Write a decimal plainly: no exponent, no zeros at the end."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _decimals(value: Decimal) -> int:
    """Count the decimals that carry information: 2 for 0.250."""
    text = _tidy(value)
    return len(text) - text.index(".") - 1 if "." in text else 0


def _written(value: Decimal | Fraction | bool, asked: Asked) -> str:
    """Write a value in the one form that is hashed and compared."""
    if isinstance(value, Decimal):
        value = abs(value) if value == 0 else value  # -0.00001 rounds to a zero with a sign
        places = max(asked.decimals, _decimals(value))
        number = format(value, f".{places}f")
        return f"{number} {asked.unit}".rstrip()
    return str(value)


def canonical(text: str, lines: Sequence[Asked]) -> str | None:
    """Put printed text into its one canonical form, a line each; equal answers give equal text.

    `np.float64(0.25)`, `.25` and `0.250` become `0.2500` where four decimals are asked, `60%` becomes `60.0 percent`,
    `12/20` becomes `3/5`. More decimals than asked for are kept. Returns None if the number of lines is not what is
    asked, or a line cannot be read, or has another unit.
    """
    printed = _printed_lines(text)
    if len(printed) != len(lines):
        return None
    written = []
    for line, asked in zip(printed, lines):
        reading = read(line)
        if reading is None or reading.unit != asked.unit:
            return None
        written.append(_written(reading.value, asked))
    return "".join(f"{line}\n" for line in written)


def _printed_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


# --- Hashing ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cost:
    """How much work one hash takes: scrypt's n, r and p. Memory is 128 * n * r bytes."""

    n: int
    r: int
    p: int


def digest(written: str, salt: str, cost: Cost) -> str:
    """Return the hash of one canonical line, in hexadecimal."""
    memory = 256 * cost.n * cost.r + 2**20
    key = hashlib.scrypt(
        written.encode(), salt=salt.encode(), n=cost.n, r=cost.r, p=cost.p, maxmem=memory, dklen=16
    )
    return key.hex()


# --- Judging ----------------------------------------------------------------------------------------------------------


def judge_line(text: str, asked: Asked, matches: Callable[[str], bool]) -> Verdict:
    """Judge one printed line. `matches` says whether a canonical line is the answer."""
    reading = read(text)
    if reading is None:
        comma = "Write the decimals after a point, not after a comma. " if _DECIMAL_COMMA.search(text) else ""
        return Verdict(NOT_YET, (f"I cannot read '{_shortened(text)}'. {comma}{_wanted(asked)}",))
    said = (reading.note,) if reading.note else ()
    if reading.unit != asked.unit:
        return Verdict(NOT_YET, said + (_other_unit(reading.unit, asked),))
    if not isinstance(reading.value, Decimal):
        return Verdict(RIGHT if matches(_written(reading.value, asked)) else NOT_YET, said)

    value = reading.value
    step = Decimal(1).scaleb(-asked.decimals)
    have = _decimals(value)
    if have <= asked.decimals and matches(_written(value, asked)):
        return Verdict(RIGHT, said)
    wanted = f"The line asks for {_count(asked.decimals, 'decimal')}."
    if have > asked.decimals:
        ways = [ROUND_HALF_EVEN, ROUND_HALF_UP] + ([ROUND_CEILING] if asked.decimals == 0 else [])
        rounded = {value.quantize(step, rounding=way) for way in ways}
        if any(matches(_written(number, asked)) for number in sorted(rounded)):
            return Verdict(WRONG_ROUNDING, said + (f"You printed {_count(have, 'decimal')}. {wanted}",))
    elif have == asked.decimals and asked.decimals > 0:
        if any(matches(_written(number, asked)) for number in (value - step, value + step)):
            away = "It is one away in its last decimal: a number was rounded on the way, or cut off instead of rounded."
            return Verdict(WRONG_ROUNDING, said + (away + " Round once, in the print.",))
    elif have < asked.decimals:
        # One decimal too few: 0.19 may be the print of 0.190, which is 0.1898 rounded to three decimals.
        if any(matches(_written(value + step * tenth, asked)) for tenth in range(-5, 6)):
            return Verdict(WRONG_ROUNDING, said + (f"You printed {_count(have, 'decimal')}. {wanted}",))
        said += (wanted,)
    return Verdict(NOT_YET, said + _hundredfold(value, asked, matches))


def _hundredfold(value: Decimal, asked: Asked, matches: Callable[[str], bool]) -> tuple[str, ...]:
    """Recognise a share given for a percentage, or the other way round."""
    step = Decimal(1).scaleb(-asked.decimals)
    if asked.unit == "" and asked.decimals > 0:
        if matches(_written((value / 100).quantize(step), asked)):
            return ("This is the percentage. The line asks for the share: divide by one hundred.",)
    elif asked.unit and matches(_written((value * 100).quantize(step), asked)):
        return ("This is the share. Multiply by one hundred to have it in percent.",)
    return ()


def _other_unit(unit: str, asked: Asked) -> str:
    if asked.unit == "percentage points" and unit == "percent":
        return "A difference of two percentages, or a width, is in percentage points, not in percent."
    if asked.unit in ("percent", "percentage points") and unit == "":
        return f"The number stands alone. Print the words after it: {asked.unit}."
    if asked.unit == "" and unit in ("percent", "percentage points"):
        return f"I read this as a number of {unit}. This line asks for the number alone, as a share between 0 and 1."
    return _wanted(asked)


def _wanted(asked: Asked) -> str:
    if asked.unit == "true or false":
        return "Print True or False."
    if asked.unit == "fraction":
        return "Print a fraction: a whole number, a slash, a whole number."
    if asked.unit:
        return f"Print the number, then the words: {asked.unit}."
    return "Print the number alone, with no words beside it."


def _count(number: int, thing: str) -> str:
    word = COUNTS[number] if number < len(COUNTS) else str(number)
    return f"{word} {thing}" if number == 1 else f"{word} {thing}s"


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."


def judge(number: int, text: str, hashes: Path = HASHES) -> Verdict:
    """Judge everything that the answer cell of one problem printed.

    Raises ValueError if the problem has no self-check, FileNotFoundError if the hashes are not there.
    """
    entry, cost = _entry(number, hashes)
    lines = entry["lines"]
    printed = _printed_lines(text)
    if not printed:
        return Verdict(NOT_YET, ("Its answer cell has printed nothing.",))
    if len(printed) != len(lines):
        asked = _count(len(lines), "line")
        return Verdict(NOT_YET, (f"The problem asks for {asked}. Your cell printed {_count(len(printed), 'line')}.",))
    verdicts = []
    for shown, line in zip(printed, lines):
        asked_line = Line(line["what"], line["decimals"], line["unit"])
        verdicts.append(
            judge_line(shown, asked_line, lambda written: digest(written, line["salt"], cost) == line["hash"])
        )
    kinds = [verdict.kind for verdict in verdicts]
    overall: Kind = NOT_YET if NOT_YET in kinds else WRONG_ROUNDING if WRONG_ROUNDING in kinds else RIGHT
    sentences = tuple(
        f"Line {position}, {line['what']}: {' '.join((verdict.kind + '.',) + verdict.sentences)}"
        for position, (line, verdict) in enumerate(zip(lines, verdicts), start=1)
        if overall != RIGHT or verdict.sentences
    )
    return Verdict(overall, sentences)


def _entry(number: int, hashes: Path) -> tuple[dict[str, Any], Cost]:
    try:
        stored = json.loads(hashes.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{hashes.name} should lie beside {Path(__file__).name}. Get the whole course folder, not the notebook alone."
        ) from None
    entry = stored["problems"].get(f"problem-{number:02d}")
    if entry is None:
        raise ValueError(f"Problem {number} has no self-check.")
    return entry, Cost(**stored["cost"])


def hash_entry(lines: Iterable[Line], output: str, name: str, cost: Cost) -> dict[str, Any]:
    """Return what `practice_check.json` stores for one problem, given what its solution prints.

    Raises ValueError if the output does not read as the lines say.
    """
    lines = tuple(lines)
    text = canonical(output, lines)
    if text is None:
        raise ValueError(f"{name}: the solution's output does not read as its lines say: {output!r}")
    stored = []
    for position, (line, written) in enumerate(zip(lines, text.splitlines()), start=1):
        salt = f"is-that-score-real/{name}/line-{position}"
        stored.append(
            {
                "what": line.what,
                "decimals": line.decimals,
                "unit": line.unit,
                "salt": salt,
                "hash": digest(written, salt, cost),
            }
        )
    return {"lines": stored}


# --- In the notebook --------------------------------------------------------------------------------------------------


@dataclass
class _Run:
    """What happened when an answer cell last ran."""

    printed: str
    data: int | None  # the problem whose data cell had run last
    error: str | None
    value_unprinted: bool


class _Tee:
    """Passes everything on to the real output and keeps a copy."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.kept: list[str] = []

    def write(self, text: str) -> int:
        self.kept.append(text)
        return self.stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


_FIRST_LINE = re.compile(r"\s*#\s*(?P<data>data for\s+)?problem\s+0*(?P<number>[0-9]+)\b", re.IGNORECASE)


class _Recorder:
    """Remembers what each answer cell printed, through IPython's own before-and-after-a-cell events."""

    def __init__(self) -> None:
        self.runs: dict[int, _Run] = {}
        self.data: int | None = None
        self.tee: _Tee | None = None

    def before_cell(self, info: Any) -> None:
        match = _FIRST_LINE.match(info.raw_cell or "")
        if match and not match["data"]:
            self.tee = _Tee(sys.stdout)
            sys.stdout = self.tee

    def after_cell(self, result: Any) -> None:
        tee, self.tee = self.tee, None
        if tee is not None and sys.stdout is tee:
            sys.stdout = tee.stream
        match = _FIRST_LINE.match(result.info.raw_cell or "")
        if match is None:
            return
        number = int(match["number"])
        if match["data"]:
            self.data = number
            return
        fault = result.error_in_exec or result.error_before_exec
        self.runs[number] = _Run(
            printed="".join(tee.kept) if tee else "",
            data=self.data,
            error=type(fault).__name__ if fault else None,
            value_unprinted=result.result is not None,
        )


_recorder: _Recorder | None = None


def start() -> None:
    """Begin to remember what the notebook's answer cells print. Calling it again starts afresh."""
    global _recorder
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise RuntimeError("practice_check.start() works inside a notebook. Open 12-practice.ipynb in JupyterLab.")
    if _recorder is not None:
        shell.events.unregister("pre_run_cell", _recorder.before_cell)
        shell.events.unregister("post_run_cell", _recorder.after_cell)
    _recorder = _Recorder()
    shell.events.register("pre_run_cell", _recorder.before_cell)
    shell.events.register("post_run_cell", _recorder.after_cell)


def check(number: int) -> None:
    """Print whether the answer cell of a problem, as it last ran, printed the right lines."""
    name = f"Problem {number:02d}"
    if _recorder is None:
        print(f"{name}: run the first cell of this notebook, then the data cell and your answer cell again.")
        return
    run = _recorder.runs.get(number)
    if run is None or (not run.printed.strip() and run.error is None):
        hint = "Write your answer there, run it, then run this cell again."
        if run is not None and run.value_unprinted:
            hint = "Its last line shows a value. Put that value inside print( ), run it, then run this cell again."
        print(f"{name}: {NOT_YET}. Its answer cell has printed nothing. {hint}")
        return
    if run.error is not None:
        print(f"{name}: {NOT_YET}. Its answer cell stopped with {run.error}. Mend that first; the message is under the cell.")
        return
    if run.data != number:
        print(f"{name}: {NOT_YET}. Its data cell was not the last to run. Run it, then your answer cell, then this one.")
        return
    verdict = judge(number, run.printed)
    print(f"{name}: {verdict.kind}.")
    for sentence in verdict.sentences:
        print(f"  {sentence}")
