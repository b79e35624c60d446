"""Write what people read: the gradebook as a table and as a page, JUnit for CI, feedback for each student.

Everything is made from the rows, which hold no part of the key, so no report can show it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from answers.grading import page
from answers.grading.replay import Result, plain, printable
from answers.grading.row import Row, wilson, write_whole

TABLE, PAGE, JUNIT, WRITTEN, FEEDBACK = "gradebook.csv", "gradebook.html", "junit.xml", "written.md", "feedback"

LONGEST_WRITTEN = 20_000  # characters

# What a student in CI sees: three words.
WORDS = {"right": "right", "not yet": "not yet", "missing": "not yet"}


def write(rows: Sequence[Row], out: Path) -> None:
    """Write all reports into a folder."""
    write_whole(out / TABLE, table(rows))
    write_whole(out / PAGE, page.gradebook(rows))
    write_whole(out / JUNIT, junit(rows))
    write_whole(out / WRITTEN, written(rows))
    fresh = out / (FEEDBACK + ".part")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    for name, row in zip(feedback_names([row.submission for row in rows]), rows):
        write_whole(fresh / name, feedback(row))
    shutil.rmtree(out / FEEDBACK, ignore_errors=True)
    fresh.rename(out / FEEDBACK)


def numbers(rows: Sequence[Row]) -> list[int]:
    """Return the computed problems' numbers, which are the same in every graded row."""
    return next(([result.number for result in row.results] for row in rows if row.results), [])


# --- The table --------------------------------------------------------------------------------------------------------


def table(rows: Sequence[Row]) -> str:
    """Return gradebook.csv: one line a submission. The interval is in percent."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    problems = numbers(rows)
    writer.writerow(
        ["submission", "state", "right", "problems", "percent", "wilson_low", "wilson_high"]
        + [f"p{number:02d}" for number in problems]
        + ["answers_in_words", "remarks"]
    )
    for row in rows:
        line: list[object] = [_cell(row.submission), row.state]
        if row.state == "graded":
            low, high = wilson(row.score, row.out_of)
            line += [row.score, row.out_of, *(f"{100 * share:.1f}" for share in (row.score / row.out_of, low, high))]
            line += [result.status for result in row.results]
            line += [sum(bool(answer) for answer in row.written.values()), _cell(" ".join(row.notes))]
        else:
            line += [""] * (5 + len(problems) + 1) + [_cell(row.reason)]
        writer.writerow(line)
    return file.getvalue()


def _cell(text: str) -> str:
    """Keep a spreadsheet from taking a student's text for a formula."""
    text = plain(text, 1000)
    return "'" + text if text.startswith(("=", "+", "-", "@")) else text


# --- For one student --------------------------------------------------------------------------------------------------


def feedback_names(submissions: Sequence[str]) -> list[str]:
    """Return a name for each submission's feedback file: its own, without what a file's name cannot hold."""
    names = [re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", name.removesuffix(".ipynb")) for name in submissions]
    names = [name.encode()[:120].decode(errors="ignore") for name in names]  # a file's name may have 255 bytes
    folded = Counter(name.casefold() for name in names)
    return [
        f"{name}.md" if folded[name.casefold()] == 1 else f"{name}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}.md"
        for name, whole in zip(names, submissions)
    ]


def score_line(row: Row) -> str:
    low, high = wilson(row.score, row.out_of)
    return (
        f"{row.score} of {row.out_of} problems right, {100 * row.score / row.out_of:.1f} percent "
        f"(95 percent Wilson interval {100 * low:.1f} to {100 * high:.1f})"
    )


def feedback(row: Row) -> str:
    """Return a student's feedback in Markdown."""
    parts = [f"# Feedback: {_markdown(row.submission)}"]
    if row.state != "graded":
        parts.append(f"This notebook could not be graded. {_markdown(row.reason)}")
    else:
        parts.append(f"**{score_line(row)}.**")
        parts.append(
            "The interval treats the problems as drawn from many of their kind. They were chosen, not drawn, so take it as a reminder "
            "that no score is exact."
        )
        parts.append(
            "\n".join(
                f"- **Problem {result.number:02d}: {result.status}.** {_markdown(result.sentence)}"
                for result in row.results
            )
        )
        if row.notes:
            parts.append("## About the notebook\n\n" + "\n".join(f"- {_markdown(note)}" for note in row.notes))
        if row.written:
            empty = [f"{number:02d}" for number, answer in sorted(row.written.items()) if not answer]
            parts.append(
                "## Answers in words\n\nYour instructor reads these; no program has."
                + (f" Still empty: {', '.join(empty)}." if empty else "")
            )
    return "\n\n".join(parts) + "\n"


def lines(row: Row) -> str:
    """Return one submission's results for a terminal, a line per problem."""
    if row.state != "graded":
        return f"{plain(row.submission, 200)}: {row.reason}\n"
    said = [f"Problem {result.number:02d}  {result.status:<9} {result.sentence}" for result in row.results]
    return "\n".join([*said, *row.notes, score_line(row) + "."]) + "\n"


def summary(rows: Sequence[Row]) -> str:
    """Return a CI job's summary in Markdown: a line per problem for each submission."""
    parts = []
    for row in rows:
        parts.append(f"## {_markdown(row.submission)}")
        if row.state != "graded":
            parts.append(f"Not graded. {_markdown(row.reason)}")
            continue
        parts.append(f"{score_line(row)}.")
        body = [f"| {result.number} | {_word(result)} | {_markdown(result.sentence)} |" for result in row.results]
        parts.append("\n".join(["| Problem | Result | Why |", "| --- | --- | --- |", *body]))
        parts += [f"- {_markdown(note)}" for note in row.notes]
    return "\n\n".join(parts) + "\n"


def _word(result: Result) -> str:
    return WORDS.get(result.status, "wrong")


def _markdown(text: str) -> str:
    """Escape a student's text so that it stays text in Markdown, also in a table."""
    return re.sub(r"([\\`*_{}\[\]<>|#~&@$])", r"\\\1", plain(text, 400))


# --- For the instructor -----------------------------------------------------------------------------------------------


def written(rows: Sequence[Row]) -> str:
    """Return all answers in words, problem by problem, to be read side by side."""
    parts = ["# Answers in words\n\nNo program has judged these. The key has a model answer and a rubric for each."]
    for number in sorted({number for row in rows for number in row.written}):
        parts.append(f"## Problem {number:02d}")
        for row in rows:
            if answer := row.written.get(number):
                quoted = "\n".join("    " + printable(line) for line in answer[:LONGEST_WRITTEN].splitlines())
                parts.append(f"{_markdown(row.submission)}\n\n{quoted}")
                if len(answer) > LONGEST_WRITTEN:
                    parts.append(f"Cut here after {LONGEST_WRITTEN:,} characters; the notebook has the rest.")
    return "\n\n".join(parts) + "\n"


def junit(rows: Sequence[Row]) -> str:
    """Return the results as JUnit XML: a suite per submission, a case per problem."""
    suites = ElementTree.Element("testsuites", name="grading")
    for row in rows:
        name = plain(row.submission, 200)
        suite = ElementTree.SubElement(suites, "testsuite", name=name)
        counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        if row.state != "graded":
            case = ElementTree.SubElement(suite, "testcase", classname=name, name="notebook")
            ElementTree.SubElement(case, "error", message=plain(row.reason, 400))
            counts["tests"] = counts["errors"] = 1
        for result in row.results:
            case = ElementTree.SubElement(suite, "testcase", classname=name, name=f"Problem {result.number:02d}")
            counts["tests"] += 1
            if result.status == "not yet":
                ElementTree.SubElement(case, "skipped", message=result.sentence)
                counts["skipped"] += 1
            elif result.status != "right":
                ElementTree.SubElement(case, "failure", message=result.sentence, type=result.status)
                counts["failures"] += 1
        for what, count in counts.items():
            suite.set(what, str(count))
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"
