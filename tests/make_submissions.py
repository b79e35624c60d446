"""Make the submissions that the grader is tested with, and say what each must get.

    python tests/make_submissions.py FOLDER                     the corpus: oddities, cheats, broken files
    python tests/make_submissions.py FOLDER --class 300         a class of that size, with ordinary faults
    python tests/make_submissions.py FOLDER --compare GRADES    the expected and the actual row of each case

Full marks are what the key's own solutions get. A case changes them in one way.
"""

from __future__ import annotations

import argparse
import copy
import csv
import json
import os
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from answers.problems import load_key  # noqa: E402

Cells = list[dict[str, Any]]
TARGET = 6  # the problem most cases meddle with; many others follow it
MARK = "left-by-a-submission"  # in the name of every file and process that a submission tries to leave


@dataclass(frozen=True)
class Case:
    """One submission: how it is made, and its row. `others` are the problems that are not right, with their status."""

    name: str
    content: Callable[[], bytes] | None
    others: dict[int, str] = field(default_factory=dict)
    state: str = "graded"
    says: str = ""  # words that must stand in the feedback
    make: Callable[[Path], None] | None = None  # for what is not an ordinary file


# --- Building blocks --------------------------------------------------------------------------------------------------


@cache
def _problems() -> dict[int, Any]:
    return {problem.number: problem for problem in load_key() if problem.computed}


@cache
def _practice() -> str:
    return (ROOT / "chapters" / "12-practice.ipynb").read_text(encoding="utf-8")


def numbers() -> list[int]:
    """The computed problems."""
    return list(_problems())


def answered() -> Cells:
    """The practice notebook's cells with every computed problem solved as in the key."""
    cells = json.loads(_practice())["cells"]
    for cell in cells:
        cell["source"] = "".join(cell["source"])
        if cell["cell_type"] == "code" and cell["id"].startswith("problem-"):
            cell["source"] = _problems()[int(cell["id"][-2:])].solution
    return cells


def notebook(cells: Cells, **changes: Any) -> bytes:
    """A notebook file as JupyterLab writes it."""
    whole = {
        "cells": cells,
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(whole | changes, indent=1, ensure_ascii=True).encode()


def at(cells: Cells, number: int, kind: str = "problem") -> int:
    """Position of a cell by its id."""
    return next(place for place, cell in enumerate(cells) if cell.get("id") == f"{kind}-{number:02d}")


def code(source: str, name: str, tags: list[str] | None = None) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "id": name,
        "source": source,
        "metadata": {"tags": tags or []},
        "outputs": [],
        "execution_count": None,
    }


def solution(number: int = TARGET) -> str:
    return _problems()[number].solution


def with_answer(source: str, number: int = TARGET) -> bytes:
    """Full marks, but one problem's answer cell holds other code."""
    cells = answered()
    cells[at(cells, number)]["source"] = f"# Problem {number:02d}\n{source}"
    return notebook(cells)


def before(source: str, number: int = TARGET) -> bytes:
    """Full marks, with code in front of one right answer."""
    return with_answer(f"{source}\n{solution(number)}", number)


def changed(change: Callable[[Cells], Any]) -> bytes:
    """Full marks after a change to the cells."""
    cells = answered()
    change(cells)
    return notebook(cells)


# --- Changes that need more than a line -------------------------------------------------------------------------------


def _no_ids(cells: Cells) -> None:
    for cell in cells:
        del cell["id"]


def _no_tags(cells: Cells) -> None:
    _no_ids(cells)
    for cell in cells:
        cell["metadata"] = {}


def _only_tags(cells: Cells) -> None:
    for cell in cells:
        if cell["cell_type"] == "code" and cell["source"].startswith("# Problem"):
            cell["source"] = "\n".join(cell["source"].splitlines()[1:])
        del cell["id"]


def _format_3() -> bytes:
    cells = []
    for cell in answered():
        metadata = {"tags": cell["metadata"].get("tags", [])}
        if cell["cell_type"] == "code":
            lines = cell["source"].splitlines(keepends=True)
            cells.append(
                {
                    "cell_type": "code",
                    "input": lines,
                    "language": "python",
                    "outputs": [],
                    "collapsed": False,
                    "metadata": metadata,
                }
            )
        else:
            cells.append({"cell_type": "markdown", "source": cell["source"], "metadata": metadata})
    return json.dumps(
        {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [{"cells": cells, "metadata": {}}]}
    ).encode()


def _move_away(cells: Cells) -> None:
    """Take some answers out of their places and put them at the end, far from their data cells."""
    for number in (3, TARGET, 11):
        cells.append(cells.pop(at(cells, number)))


def _copies(first: str, last: str) -> Callable[[Cells], None]:
    def change(cells: Cells) -> None:
        place = at(cells, TARGET)
        cells[place]["source"] = first
        pasted = copy.deepcopy(cells[place]) | {
            "id": "pasted",
            "source": last,
        }  # JupyterLab gives a copy a new id and keeps its tags
        cells.insert(place + 1, pasted)

    return change


def _retype(cells: Cells, kind: str) -> None:
    cell = cells[at(cells, TARGET)]
    cell["cell_type"] = kind
    del cell["outputs"], cell["execution_count"]


def _tamper(cells: Cells) -> None:
    cells[at(cells, TARGET, "data")]["source"] = f"# Data for problem {TARGET:02d}\nnothing = 0"
    del cells[at(cells, 11, "data")]
    data = cells[at(cells, 13, "data")]
    data["cell_type"] = "markdown"
    del data["outputs"], data["execution_count"]


def _numpy_numbers(cells: Cells) -> None:
    """Print numbers as NumPy shows its own."""
    for number in (5, TARGET):
        source = solution(number)
        cells[at(cells, number)]["source"] = source.replace("print(round(", "print(repr(numpy.float64(").replace(
            ", 4))", ").round(4)))"
        )


def _helper(cells: Cells) -> None:
    cells.insert(at(cells, 1, "data"), code("def show(value):\n    print(round(value, 4))", "own-helper"))
    cells[at(cells, TARGET)]["source"] = f"# Problem {TARGET:02d}\nshow(critical_value * standard_error)"


def _between(cells: Cells) -> None:
    cells.insert(at(cells, TARGET), code("margin = critical_value * standard_error", "own-step"))
    cells[at(cells, TARGET)]["source"] = f"# Problem {TARGET:02d}\nprint(round(margin, 4))"


def _blank() -> bytes:
    return _practice().encode()


def typed(number: int) -> str:
    """An answer cell that prints the first output without computing it."""
    return f"# Problem {number:02d}\nprint({_problems()[number].output!r}, end='')"


def _all_typed(cells: Cells) -> None:
    for number in numbers():
        cells[at(cells, number)]["source"] = typed(number)


def _only_stored(cells: Cells) -> None:
    """No code, but the right outputs stored in the file."""
    for number in numbers():
        cell = cells[at(cells, number)]
        cell |= {"source": f"# Problem {number:02d}", "execution_count": 7}
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": _problems()[number].output}]


def _markers(cells: Cells) -> None:
    for number, marker in zip(
        (3, 4, TARGET, 7),
        ("NBVAL_SKIP", "NBVAL_IGNORE_OUTPUT", "NBVAL_RAISES_EXCEPTION", "PYTEST_VALIDATE_IGNORE_OUTPUT"),
    ):
        cells[at(cells, number)]["source"] = f"# Problem {number:02d}\n# {marker}\nprint(0)" + "\n1 / 0" * (
            marker == "NBVAL_RAISES_EXCEPTION"
        )


def _marker_tags(cells: Cells) -> None:
    for number, tag in zip((3, 4, TARGET), ("nbval-skip", "nbval-ignore-output", "raises-exception")):
        cell = cells[at(cells, number)]
        cell["metadata"]["tags"].append(tag)
        cell["source"] = f"# Problem {number:02d}\nprint(0)" + "\n1 / 0" * (tag == "raises-exception")


def _words(cells: Cells) -> None:
    cells[at(cells, 17)]["source"] += "\nNeither half is right; read <b>both</b>."


def _search(what: str) -> str:
    """Code that looks for a file everywhere it may be and prints what it holds of the answer."""
    return f"""
import glob, json, os
found = ""
for pattern in {what}:
    for path in glob.glob(pattern, recursive=True):
        try:
            text = open(path, errors="replace").read()
        except OSError:
            continue
        if "Problem {TARGET:02d}" in text or "problem-{TARGET:02d}" in text:
            found = path
print(found or "no key")
if found:
    print({_problems()[TARGET].output!r})
"""


def _outside() -> str:
    folders = [
        str(ROOT),
        str(ROOT / "answers" / "key"),
        "/",
        "/tmp",
        "/var/tmp",
        "/usr",
        "/etc",
        "/run",
        "/dev/shm",
        "/root",
        "/home",
        os.path.expanduser("~"),
    ]
    return f"""
for folder in {folders!r}:
    try:
        open(folder + "/{MARK}", "w").write("here")
    except OSError:
        pass
"""


# --- The corpus -------------------------------------------------------------------------------------------------------


def corpus(port: int) -> list[Case]:
    """All cases. `port` is one on this machine that listens: a submission tries to reach it."""
    number = TARGET
    stopped = {number: "stopped"}
    oddities = [
        Case("full", lambda: notebook(answered())),
        Case("byte-order-mark", lambda: b"\xef\xbb\xbf" + notebook(answered())),
        Case("crlf-file", lambda: notebook(answered()).replace(b"\n", b"\r\n")),
        Case(
            "crlf-sources",
            lambda: changed(lambda cells: [cell.update(source=cell["source"].replace("\n", "\r\n")) for cell in cells]),
        ),
        Case(
            "source-as-lines",
            lambda: changed(
                lambda cells: [cell.update(source=cell["source"].splitlines(keepends=True)) for cell in cells]
            ),
        ),
        Case("format-4-4", lambda: (cells := answered(), _no_ids(cells)) and notebook(cells, nbformat_minor=4)),
        Case("format-3", _format_3),
        Case("first-lines-only", lambda: changed(_no_tags)),
        Case("tags-only", lambda: changed(_only_tags)),
        Case("moved", lambda: changed(_move_away), says="stands at another place"),
        Case("reversed", lambda: changed(lambda cells: cells.reverse()), says="stands at another place"),
        Case(
            "copied-right-last",
            lambda: changed(_copies(f"# Problem {number:02d}\nprint(0)", solution())),
            says="The last one",
        ),
        Case(
            "copied-wrong-last",
            lambda: changed(_copies(solution(), f"# Problem {number:02d}\nprint(0)")),
            {number: "wrong"},
            says="The last one",
        ),
        Case(
            "copied-blank-last",
            lambda: changed(_copies(solution(), f"# Problem {number:02d}")),
            says="The last one that is not empty",
        ),
        Case(
            "became-markdown", lambda: changed(lambda cells: _retype(cells, "markdown")), says="had become a text cell"
        ),
        Case("became-raw", lambda: changed(lambda cells: _retype(cells, "raw")), says="had become a text cell"),
        Case(
            "deleted",
            lambda: changed(lambda cells: cells.pop(at(cells, number))),
            {number: "missing"},
            says="has no answer cell",
        ),
        Case("data-cells-changed", lambda: changed(_tamper)),
        Case(
            "setup-deleted",
            lambda: changed(lambda cells: cells.pop(next(i for i, cell in enumerate(cells) if cell["id"] == "setup"))),
        ),
        Case("numpy-numbers", lambda: changed(_numpy_numbers)),
        Case(
            "spaces-and-empty-lines",
            lambda: with_answer(
                solution().split("\n", 1)[1].replace("print(", "print('  ', end=''); print(")
                + "\nprint('   ')\nprint()"
            ),
        ),
        Case(
            "warnings", lambda: before("import sys, warnings\nwarnings.warn('careful')\nprint('note', file=sys.stderr)")
        ),
        Case("uses-an-earlier-cell", lambda: changed(_helper)),
        Case("own-cell-between", lambda: changed(_between)),
        Case("chart-beside", lambda: before("from matplotlib import pyplot\npyplot.plot([1, 2])\npyplot.show()")),
        Case(
            "writes-its-own-file",
            lambda: before("open('notes.txt', 'w').write('mine')\nopen('/tmp/notes.txt', 'w').write('mine')"),
        ),
        Case(
            "unknown-kernel",
            lambda: notebook(answered(), metadata={"kernelspec": {"name": "no-such-kernel", "display_name": "?"}}),
        ),
        Case("checks-itself", lambda: with_answer(solution().split("\n", 1)[1] + f"\npractice_check.check({number})")),
        Case("in-words", lambda: changed(_words), says="Your instructor reads these"),
    ]
    ordinary = [
        Case("blank", _blank, dict.fromkeys(numbers(), "not yet"), says="The answer cell is empty"),
        Case(
            "wrong-rounding",
            lambda: with_answer("print(round(critical_value * standard_error, 6))"),
            {number: "wrong"},
            says="wrong rounding",
        ),
        Case(
            "value-not-printed",
            lambda: with_answer("round(critical_value * standard_error, 4)"),
            {number: "wrong"},
            says="put that value inside print",
        ),
        Case("too-many-lines", lambda: before("print('here it comes')"), {number: "wrong"}, says="It printed"),
        Case("error", lambda: with_answer("print(undefined_name)"), {number: "error"}, says="NameError"),
        Case("syntax-error", lambda: with_answer("print("), {number: "error"}, says="SyntaxError"),
    ]
    cheats = [
        Case("markers-in-comments", lambda: changed(_markers), {3: "wrong", 4: "wrong", number: "error", 7: "wrong"}),
        Case("markers-in-tags", lambda: changed(_marker_tags), {3: "wrong", 4: "wrong", number: "error"}),
        Case(
            "execution-count-cleared",
            lambda: changed(
                lambda cells: cells[at(cells, number)].update(
                    source=f"# Problem {number:02d}\nprint(0)", execution_count=None
                )
            ),
            {number: "wrong"},
        ),
        Case("outputs-without-code", lambda: changed(_only_stored), dict.fromkeys(numbers(), "not yet")),
        Case(
            "typed-in-one", lambda: with_answer(typed(number)), {number: "typed in"}, says="not when the inputs change"
        ),
        Case("typed-in-all", lambda: changed(_all_typed), dict.fromkeys(numbers(), "typed in")),
        Case(
            "reads-the-key",
            lambda: with_answer(
                _search(repr([str(ROOT / "**" / "*"), str(ROOT / "answers" / "key" / "*"), "../**/*", "answers/**/*"]))
            ),
            {number: "wrong"},
        ),
        Case(
            "reads-the-merged-notebook",
            lambda: with_answer(
                _search(
                    "['/tmp/**/*', '/var/tmp/**/*', '/proc/*/cmdline', '/proc/*/environ', '/dev/shm/**/*', '/home/**/*']"
                )
            ),
            {number: "wrong"},
        ),
        Case(
            "shows-the-other-inputs",
            lambda: before("if standard_error != 0.0671:\n    raise ValueError(standard_error)"),
            {number: "typed in"},
            says="on other inputs it stops with an error",
        ),
        Case(
            "hides-its-error",
            lambda: with_answer(
                "get_ipython().showtraceback = lambda *words, **more: None\n" + solution().split("\n", 1)[1] + "\n1 / 0"
            ),
            {number: "error"},
        ),
        Case("exits", lambda: with_answer("import os\nos._exit(0)"), stopped, says="ended the Python kernel"),
        Case(
            "exits-twice",
            lambda: changed(
                lambda cells: [
                    cells[at(cells, n)].update(source=f"# Problem {n:02d}\nimport os\nos._exit(0)") for n in (3, 11)
                ]
            ),
            {3: "stopped", 11: "stopped"},
        ),
        Case(
            "ignores-interrupts",
            lambda: with_answer(
                "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n    try:\n        pass\n    except BaseException:\n        pass"
            ),
            stopped,
            says="ran for more than",
        ),
        Case(
            "stops-itself",
            lambda: with_answer("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"),
            stopped,
            says="ran for more than",
        ),
        Case(
            "own-cell-loops",
            lambda: changed(lambda cells: cells.insert(at(cells, number), code("while True:\n    pass", "own-loop"))),
            says="one of your own, ran for more than",
        ),
        Case(
            "fork-bomb",
            lambda: with_answer(
                "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass"
            ),
            stopped,
        ),
        Case("fork-bomb-that-ends", lambda: before("import os\nfor turn in range(1000):\n    os.fork()"), stopped),
        Case(
            "memory-bomb",
            lambda: with_answer("kept = []\nwhile True:\n    kept.append(bytearray(10_000_000))"),
            stopped,
        ),
        Case(
            "memory-at-once", lambda: with_answer("kept = bytearray(10 ** 13)"), {number: "error"}, says="MemoryError"
        ),
        Case("memory-kept", lambda: before("kept = numpy.empty(190_000_000)"), stopped, says="of memory"),
        Case("output-at-once", lambda: with_answer("print('x' * 200_000_000)"), stopped),
        Case(
            "output-for-ever",
            lambda: with_answer("while True:\n    print('x' * 1000, flush=True)"),
            stopped,
        ),
        Case("asks-for-input", lambda: with_answer("answer = input('The answer? ')\nprint(answer)"), {number: "error"}),
        Case(
            "uses-the-network",
            lambda: before(
                f"import socket\nfor host in ('127.0.0.1', 'localhost', '1.1.1.1'):\n    try:\n        socket.create_connection((host, {port}), timeout=1)\n    except OSError:\n        pass"
            ),
        ),
        Case("writes-outside", lambda: before(_outside())),
        Case(
            "writes-beside-the-sockets",
            lambda: before(
                "import os\nfrom ipykernel.connect import get_connection_file\nopen(os.path.dirname(get_connection_file()) + '/more', 'w').write('x' * 1000)"
            ),
            stopped,
            says="wrote a file outside",
        ),
        Case("writes-too-much", lambda: with_answer("open('big', 'wb').write(b'x' * 20_000_000)"), {number: "error"}),
        Case(
            "leaves-a-process",
            lambda: before(
                f"import subprocess\nsubprocess.Popen(['python3', '-c', 'import time; time.sleep(3000) # {MARK}'], start_new_session=True)"
            ),
            stopped,
            says="left other processes running",
        ),
        Case(
            "kills-what-it-can",
            lambda: before(
                "import os\nfor process in (-1, 1):\n    try:\n        os.kill(process, 9)\n    except OSError:\n        pass"
            ),
        ),
        Case(
            "sends-nonsense",
            lambda: before(
                "kernel = get_ipython().kernel\nkernel.session.send(kernel.iopub_socket, 'stream', {'name': 'stdout', 'text': 5}, parent=kernel.get_parent())"
            ),
            stopped,
            says="no kernel sends",
        ),
        Case(
            "sends-unsigned",
            lambda: before("get_ipython().kernel.iopub_socket.send_multipart([b'a', b'<IDS|MSG>', b'b'])"),
            stopped,
            says="no kernel sends",
        ),
        Case("quits", lambda: before("exit()"), stopped, says="ended the Python kernel"),
        Case(
            "<img src=x onerror=alert(1)>",
            lambda: with_answer("raise ValueError('<script>alert(1)</script> | `x`')"),
            {number: "error"},
        ),
        Case("=1+1", lambda: notebook(answered())),
        Case("half-a-character", lambda: with_answer("print('\ud800')"), {number: "stopped"}),
    ]
    broken = [
        Case("empty", lambda: b"", state="unreadable", says="empty"),
        Case("broken-json", lambda: notebook(answered())[:-200], state="unreadable", says="JSON is broken"),
        Case("deep-json", lambda: b"[" * 200_000, state="unreadable", says="JSON is broken"),
        Case("not-utf-8", lambda: notebook(answered()).decode().encode("utf-16"), state="unreadable", says="UTF-8"),
        Case("no-cells", lambda: notebook([]), state="unreadable", says="no cells"),
        Case("format-2", lambda: notebook(answered(), nbformat=2), state="unreadable", says="format 2"),
        Case("a-list", lambda: b"[1, 2]", state="unreadable", says="not a notebook"),
        Case("too-large", lambda: notebook(answered()) + b" " * 10_000_000, state="unreadable", says="MB"),
        Case("zipped", lambda: b"PK\x03\x04\x14\x00\xff\xfe", state="unreadable", says="Unpack it"),
        Case("essay.pdf", lambda: b"%PDF-1.7 \xff\xfe", state="unreadable", says="UTF-8"),
        Case(
            "link-to-the-key",
            None,
            state="unreadable",
            says="link",
            make=lambda path: path.symlink_to(ROOT / "answers" / "key" / f"problem-{TARGET:02d}.ipynb"),
        ),
        Case("pipe", None, state="unreadable", says="not an ordinary file", make=lambda path: os.mkfifo(path)),
        Case("folder/", None, state="unreadable", says="no notebook", make=lambda path: path.mkdir()),
    ]
    return oddities + ordinary + cheats + broken


def file_name(case: Case) -> str:
    if case.name.endswith("/"):
        return case.name.removesuffix("/")
    return case.name if case.name.endswith(".pdf") else f"{case.name}.ipynb"


def make_corpus(folder: Path, port: int = 9) -> list[Case]:
    """Write the corpus into a new or empty folder."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = corpus(port)
    for case in cases:
        path = folder / file_name(case)
        if case.make is not None:
            case.make(path)
        elif case.content is not None:
            path.write_bytes(case.content())
    return cases


def make_class(folder: Path, size: int, seed: int = 12) -> None:
    """Write a class of ordinary students: most answers right, some wrong, typed in, empty or broken; a few bad files."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    for student in range(1, size + 1):
        cells = answered()
        able = chance.betavariate(5, 2)
        for number in numbers():
            luck = chance.random()
            if luck > able:
                source = chance.choice(["print(0)", "", "print(unknown)", f"print({_problems()[number].output!r})"])
                cells[at(cells, number)]["source"] = f"# Problem {number:02d}\n{source}"
        if student % 50 == 0:
            cells[at(cells, TARGET)]["source"] = f"# Problem {TARGET:02d}\nimport os\nos._exit(1)"
        content = notebook(cells)
        (folder / f"student-{student:03d}.ipynb").write_bytes(content[:1000] if student % 97 == 0 else content)


# --- Expected against actual ------------------------------------------------------------------------------------------


def expected_row(case: Case) -> tuple[str, str, dict[int, str]]:
    """Return the name in the gradebook, the state and the problems that are not right."""
    return file_name(case), case.state, case.others


def actual_rows(grades: Path) -> dict[str, tuple[str, str, dict[int, str]]]:
    """Read a gradebook.csv in the form of `expected_row`."""
    rows = {}
    with (grades / "gradebook.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name = row["submission"].removeprefix("'")
            statuses = {
                int(column[1:]): row[column]
                for column in row
                if column[:1] == "p" and column[1:].isdigit() and row[column] not in ("right", "")
            }
            rows[name] = (name, row["state"], statuses)
    return rows


def compare(cases: list[Case], grades: Path) -> list[str]:
    """Return a line for each case: expected and actual row."""
    actual = actual_rows(grades)
    lines = []
    for case in cases:
        name, state, others = expected_row(case)
        found = actual.get(name, (name, "no row", {}))
        same = found == (name, state, others)
        lines.append(
            f"{'same' if same else 'DIFFERENT'}  {name}: expected {_shown(state, others)}; actual {_shown(*found[1:])}"
        )
    return lines


def _shown(state: str, others: dict[int, str]) -> str:
    if state != "graded":
        return state
    right = len(numbers()) - len(others)
    kinds = (
        ", ".join(f"{number:02d} {status}" for number, status in others.items())
        if len(others) <= 4
        else f"{len(others)} {next(iter(others.values()))}"
    )
    return f"{right} right" + (f" ({kinds})" if kinds else "")


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the submissions that the grader is tested with.")
    parser.add_argument("folder", type=Path, help="where to write them")
    parser.add_argument(
        "--class", dest="size", type=int, metavar="N", help="write a class of N students instead of the corpus"
    )
    parser.add_argument(
        "--compare", type=Path, metavar="GRADES", help="write nothing; show expected and actual rows of the corpus"
    )
    options = parser.parse_args()
    if options.compare:
        lines = compare(corpus(9), options.compare)
        print("\n".join(lines))
        return int(any(line.startswith("DIFFERENT") for line in lines))
    if options.size:
        make_class(options.folder, options.size)
    else:
        make_corpus(options.folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
