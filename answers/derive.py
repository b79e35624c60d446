"""Make from the instructor's key everything that is shown of the problems.

    python -m answers.derive            write the pages below, each whole or not at all
    python -m answers.derive --check    write nothing; exit with 1 if one of them is not what the key makes

    chapters/12-problems.md         the twenty-six statements
    chapters/12-practice.md         the practice notebook: statements, locked inputs, empty answer cells, self-checks
    chapters/practice_check.json    what the self-check compares with: hashes, no answers
    answers/index.md                the worked answers to the odd problems and to the chapter's two exercises

Then record the pages: make record.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from answers.problems import KEY, ROOT, TIERS, KeyFault, Problem, load_key, load_try_its
from chapters.practice_check import COUNTS, Cost, Line, hash_entry

# About a tenth of a second and 32 MB for each hash, so that 10,000 guesses take a quarter of an hour.
COST = Cost(n=2**15, r=8, p=1)

HEADER = """\
---
# Made from answers/key by `python -m answers.derive`. Change the key, not this page.
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""
LOCKED = {"editable": False, "deletable": False}


# --- Pieces -----------------------------------------------------------------------------------------------------------


def text_cell(text: str, **metadata: Any) -> str:
    """Write a Markdown cell as MyST text. `label` in the metadata becomes its id."""
    mark = f"+++ {json.dumps(metadata)}" if metadata else "+++"
    return f"{mark}\n\n{text.strip()}\n"


def code_cell(source: str, **metadata: Any) -> str:
    """Write a code cell as MyST text. Its metadata must have a `label`, which becomes its id."""
    settings = "\n".join(f"{key}: {json.dumps(value)}" for key, value in metadata.items())
    return f"```{{code-cell}} python\n---\n{settings}\n---\n{source.strip()}\n```\n"


def page(cells: Iterable[str]) -> str:
    return HEADER + "\n" + "\n".join(cells)


def links(problem: Problem) -> str:
    """Say where a problem's tools are explained."""
    sections = [f"[{section}](#section-{section.replace('.', '-')})" for section in problem.sections]
    pages = [f"[Toolkit {number}](#toolkit-{number:02d})" for number in problem.toolkit]
    return ", ".join(sections + pages)


def published(problem: Problem) -> bool:
    """Whether the site shows the problem's answer: it does for odd numbers."""
    return problem.number % 2 == 1


def form(line: Line) -> str:
    """Say in words how one line is to be printed."""
    if line.unit == "fraction":
        return "as a fraction with a slash"
    if line.unit == "true or false":
        return "`True` or `False`"
    decimals = "one decimal" if line.decimals == 1 else f"{COUNTS[line.decimals]} decimals"
    number = "a whole number" if line.decimals == 0 else decimals
    return f"{number} and the word{'s' if ' ' in line.unit else ''} `{line.unit}`" if line.unit else number


def to_print(problem: Problem) -> str:
    """Say exactly what an answer cell must print."""
    if len(problem.lines) == 1:
        return f"**Print** one line: {problem.lines[0].what}, {form(problem.lines[0])}."
    listed = "\n".join(f"{place}. {line.what}, {form(line)}" for place, line in enumerate(problem.lines, start=1))
    return f"**Print** {COUNTS[len(problem.lines)]} lines, in this order:\n\n{listed}"


# --- Pages ------------------------------------------------------------------------------------------------------------


def problems_page(problems: Iterable[Problem]) -> str:
    """The twenty-six statements in three tiers."""
    problems = tuple(problems)
    cells = [
        text_cell(
            """
(problems)=
# Practice problems

Twenty-six problems on Chapter 12, from a minute's arithmetic to a claim that you take apart.

**Time** three hours for all of them, in as many sittings as you like. **Needs** a calculator with a square-root key, and the
chapter beside you. The [Math Toolkit](#toolkit) explains every sign.

Unless a problem says otherwise, use the critical value 1.96, and round once, at the end: four decimals for a share, one decimal
for a percentage. Each problem names the section it belongs to and the toolkit pages it leans on. The odd problems have
[worked answers](#answers). To solve them on the computer, with a check that tells you when you are right, open
[the practice notebook](#practice).
"""
        )
    ]
    introductions = {
        "Warm-up": "One idea each. Most take a minute or two.",
        "Practice": "Whole intervals, resamples and real files. Take your time.",
        "Stretch": "The places where formulas break, and where people are misled by them.",
    }
    for tier, numbers in TIERS.items():
        cells.append(text_cell(f"## {tier}\n\n{introductions[tier]}"))
        for problem in problems:
            if problem.number not in numbers:
                continue
            answer = f" · [Worked answer](#answer-{problem.number:02d})" if published(problem) else ""
            cells.append(
                text_cell(
                    f"""
({problem.name})=
### {problem.number}. {problem.title}

{problem.statement}

*{tier}* · {links(problem)}{answer}
"""
                )
            )
    return page(cells)


def answers_page(problems: Iterable[Problem], try_its: Iterable[Problem]) -> str:
    """The worked answers that the site shows, folded."""
    shown = [problem for problem in problems if published(problem)]
    cells = [
        text_cell(
            """
(answers)=
# Worked answers

Every step of the odd problems, and of the two exercises inside Chapter 12.

**Time** five minutes an answer. **Needs** your own attempt first: each answer is folded, and so is its code.

Where a step shows six decimals, the next step goes on from those six. Python carries more digits, so a last digit may differ by
one; the final answers do not. The even problems are for class.
"""
        ),
        text_cell("The code below needs one import."),
        code_cell("import math", label="setup"),
        text_cell("## Inside the chapter"),
    ]
    for problem in try_its:
        number = problem.name.removeprefix("try-it-").replace("-", ".")
        cells += answer_cells(problem, f"Try it {number}: {problem.title}", f"Back to [Try it {number}](#{problem.name}).")
    for tier, numbers in TIERS.items():
        cells.append(text_cell(f"## {tier}"))
        for problem in shown:
            if problem.number in numbers:
                back = f"Back to [Problem {problem.number}](#{problem.name})."
                cells += answer_cells(problem, f"{problem.number}. {problem.title}", back)
    return page(cells)


def answer_cells(problem: Problem, heading: str, back: str) -> list[str]:
    """One folded answer: the statement, the steps in a box, the code in a cell."""
    target = "answer-" + problem.name.removeprefix("problem-")
    steps = problem.explanation
    if problem.model_answer:
        steps += f"\n\n**In words.** {problem.model_answer}" if problem.computed else f"\n\n**In words**\n\n{problem.model_answer}"
    cells = [
        text_cell(
            f"""
({target})=
### {heading}

{problem.statement} {back}

:::{{admonition}} Answer
:class: dropdown answer

{steps}
:::
"""
        )
    ]
    if problem.computed:
        prompts = {"code_prompt_show": "Show the code and what it prints", "code_prompt_hide": "Hide the code and what it prints"}
        cells.append(code_cell(f"{problem.data}\n\n{problem.solution}", label=target, tags=["hide-cell"], mystnb=prompts))
    return cells


def practice_page(problems: Iterable[Problem]) -> str:
    """The practice notebook."""
    cells = [
        text_cell(
            """
(practice)=
# Practice notebook

All twenty-six problems of Chapter 12, to be solved on the computer, with a check that tells you when you are right.

**Time** three hours, in as many sittings as you like. **Needs** this file opened in JupyterLab, inside the folder of the whole
course: `practice_check.py` must lie beside it. If a sign stops you, the [Math Toolkit](#toolkit) has a page on it.
""",
            **LOCKED,
        ),
        text_cell(
            """
## How it works

Run the first code cell before anything else, each time you open the notebook. Then, for each problem:

1. Run the data cell. It is locked and sets the numbers by name. Use those names in your answer and not the numbers: your
   instructor may run your answer again with other numbers.
2. Write your answer in the cell that begins with `# Problem` and run it. It must print exactly the lines that are asked for.
3. Run the check cell. It looks at what your answer cell printed when it last ran.

The check says one of three things: *right*; *right number, wrong rounding*; or *not yet*. It does not know the answers. It holds
scrambled fingerprints of them, and scrambles what you printed in the same slow way, which is why it takes a moment.

Four problems are to be answered in words, and six ask for a sentence besides the numbers. Double-click the cell that says
*Write here* and write. No program checks these.
""",
            **LOCKED,
        ),
        code_cell(
            "import math\nimport numpy\nimport practice_check\n\npractice_check.start()",
            label="setup",
            tags=["locked"],
            **LOCKED,
        ),
        text_cell(
            """
An example shows what printed lines look like. Suppose a problem gives 3 right answers of 8 and 4 of 8, and asks for the first
accuracy with four decimals, the same with one decimal and the word `percent`, and the distance between the two scores with one
decimal and the words `percentage points`.
""",
            **LOCKED,
        ),
        code_cell(
            "# An example\nright = 3\nquestions = 8\naccuracy = right / questions\nprint(round(accuracy, 4))\n"
            'print(round(100 * accuracy, 1), "percent")\n'
            'print(round(100 * (4 / 8 - accuracy), 1), "percentage points")',
            label="example",
        ),
        text_cell(
            "Python leaves out zeros at the end: 0.5000 prints as 0.5. That is fine, and the check knows it.",
            **LOCKED,
        ),
    ]
    for tier, numbers in TIERS.items():
        cells.append(text_cell(f"## {tier}", **LOCKED))
        for problem in problems:
            if problem.number in numbers:
                cells += practice_cells(problem)
    return page(cells)


def practice_cells(problem: Problem) -> list[str]:
    """One problem in the practice notebook."""
    number = f"{problem.number:02d}"
    asked = [f"### {problem.number}. {problem.title}", problem.statement]
    if problem.computed:
        asked.append(to_print(problem))
    asked.append(f"*Tools:* {links(problem)}")
    cells = [text_cell("\n\n".join(asked), label=f"statement-{number}", tags=[f"statement-{number}"], **LOCKED)]
    if problem.computed:
        cells += [
            code_cell(problem.data, label=f"data-{number}", tags=["locked"], **LOCKED),
            code_cell(f"# Problem {number}", label=problem.name, tags=[problem.name], deletable=False),
            code_cell(f"practice_check.check({problem.number})", label=f"check-{number}", tags=["check"], **LOCKED),
        ]
    if problem.written:
        label = f"sentence-{number}" if problem.computed else problem.name
        what = "in words" if problem.computed else "your answer"
        cells.append(text_cell(f"**Problem {number}, {what}.** *Write here.*", label=label, tags=[label], deletable=False))
    return cells


def check_file(problems: Iterable[Problem], cost: Cost = COST) -> str:
    """What the self-check compares with, as JSON."""
    entries = {
        problem.name: hash_entry(problem.lines, problem.output, problem.name, cost) for problem in problems if problem.computed
    }
    return json.dumps({"cost": {"n": cost.n, "r": cost.r, "p": cost.p}, "problems": entries}, indent=1) + "\n"


# --- Writing and checking ---------------------------------------------------------------------------------------------


def derive(key: Path = KEY) -> dict[str, str]:
    """Return every derived file's text by its path in the project. Raises KeyFault if the key is not complete."""
    problems, try_its = load_key(key), load_try_its(key)
    return {
        "chapters/12-problems.md": problems_page(problems),
        "chapters/12-practice.md": practice_page(problems),
        "chapters/practice_check.json": check_file(problems),
        "answers/index.md": answers_page(problems, try_its),
    }


def differing(files: Mapping[str, str], root: Path) -> list[str]:
    """Return the paths whose stored text is missing or not the one given."""

    def stored(name: str) -> str | None:
        path = root / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    return [name for name, text in files.items() if stored(name) != text]


def write(files: Mapping[str, str], root: Path) -> None:
    """Write files, each whole or not at all, and none before all their texts are at hand."""
    parts = {root / name: (root / name).with_name(Path(name).name + ".part") for name in files}
    try:
        for (path, part), text in zip(parts.items(), files.values()):
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(text, encoding="utf-8", newline="\n")
        for path, part in parts.items():
            os.replace(part, path)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m answers.derive",
        description="Make the problems page, the practice notebook with its self-check and the published answers from the key.",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a derived file differs from the key")
    parser.add_argument("--key", type=Path, default=KEY, metavar="FOLDER", help="the key's folder (default: answers/key)")
    parser.add_argument("--root", type=Path, default=ROOT, metavar="FOLDER", help="the project's folder (default: this one)")
    options = parser.parse_args(arguments)
    try:
        files = derive(options.key)
    except KeyFault as fault:
        print(f"Nothing was written. {fault}", file=sys.stderr)
        return 1
    changed = differing(files, options.root)
    if options.check:
        for name in changed:
            print(
                f"{name} is not what the key makes. Change the key, never this file, then run: python -m answers.derive",
                file=sys.stderr,
            )
        return 1 if changed else 0
    write({name: files[name] for name in changed}, options.root)
    print("\n".join(f"{name}: written" for name in changed) or "Everything is as the key makes it.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
