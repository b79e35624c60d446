"""The gradebook as one self-contained page: no script, no font, nothing from elsewhere."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from html import escape

from answers.grading.replay import plain
from answers.grading.row import Row, wilson

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1a1a1a; --quiet: #595959; --line: #d0d0d0;
  --bar: #56B4E9; --edge: #0072B2; --band: #E69F00; --band-edge: #8a5f00; --dot: #0072B2; --fault: #a34300; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181b; --ink: #e8e8e6; --quiet: #a9adb2; --line: #3a3f45;
  --bar: #2f6f96; --edge: #9ad3f5; --band: #8a6410; --band-edge: #f0bf55; --dot: #a6dcff; --fault: #ffa36b; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2.5rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 Charter, "Bitstream Charter", "Sitka Text", Cambria, Georgia, serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; font-weight: 600; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 3rem 0 .3rem; font-weight: 600; }
p { margin: .4rem 0; max-width: 42rem; }
.lead { font-size: 1.15rem; }
.quiet, caption, summary { color: var(--quiet); }
figure { margin: 1rem 0 .5rem; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 13px system-ui, sans-serif; fill: var(--ink); }
.charts { max-width: 44rem; }
.axis { stroke: var(--line); }
.bar { fill: var(--bar); stroke: var(--edge); }
.band { fill: var(--band); stroke: var(--band-edge); }
.dot { fill: var(--dot); stroke: var(--paper); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .5rem; }
th, td { text-align: left; vertical-align: top; padding: .55rem .75rem .55rem 0; border-top: 1px solid var(--line); font-weight: 400; }
thead th { font: 600 .8rem/1.3 system-ui, sans-serif; color: var(--quiet); border-top: 0; }
th[scope=row] { overflow-wrap: anywhere; min-width: 0; }
.number { white-space: nowrap; }
.wide { min-width: 9rem; width: 26%; }
.score { width: 20rem; }
details { margin: .15rem 0; }
summary { cursor: pointer; font: .875rem/1.5 system-ui, sans-serif; padding: .1rem 0; }
summary:focus-visible { outline: 2px solid var(--edge); outline-offset: 2px; }
details ul { margin: .3rem 0 .6rem; padding-left: 1.1rem; font-size: .95rem; }
.fault, .fault a { color: var(--fault); }
@media (max-width: 40rem) { body { padding: 1.5rem 1rem 3rem; font-size: 1rem; } .chart-column { display: none; }
  .score { width: 7rem; padding-right: 0; }
  .counts td, .counts th { padding-right: .4rem; }
  .scores text { font-size: 20px; } .problems text { font-size: 18px; } }
@media (forced-colors: active) { .bar, .band { fill: Canvas; stroke: CanvasText; } .dot { fill: CanvasText; } }
@media print { details > ul { display: block; } }
"""


def gradebook(rows: Sequence[Row]) -> str:
    """Return the page for all rows, in their order; in its table those that were not graded stand first."""
    graded = [row for row in rows if row.state == "graded"]
    others = [row for row in rows if row.state != "graded"]
    body = ["<h1>Gradebook</h1>", f'<p class="lead">{_lead(rows, graded)}</p>']
    if others:
        body.append(
            f'<p class="fault">{_count(len(others), "submission")} could not be graded: the first in the <a href="#submissions">table of submissions</a>, with the reason.</p>'
        )
    if graded:
        body += [_scores(graded), _problems(graded)]
    body.append(_table(others + graded))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>Gradebook</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n" + "\n".join(body) + "\n</main>\n</body>\n</html>\n"
    )


def _lead(rows: Sequence[Row], graded: Sequence[Row]) -> str:
    said = f"{_count(len(rows), 'submission')}, {len(graded)} graded."
    if graded:
        middle = statistics.median(row.score for row in graded)
        said += f" The median score is {middle:g} of {graded[0].out_of} computed problems."
    return said


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' if number != 1 else ''}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


# --- How the scores are spread ----------------------------------------------------------------------------------------


def _scores(graded: Sequence[Row]) -> str:
    out_of = graded[0].out_of
    counts = Counter(row.score for row in graded)
    most = max(counts.values())
    step, height, base = 28, 170, 200
    width = step * (out_of + 1) + 10
    marks = []
    for score in range(out_of + 1):
        left, tall = 5 + step * score, height * counts[score] / most
        if counts[score]:
            marks.append(
                f'<rect class="bar" x="{left + 2}" y="{base - tall:.1f}" width="{step - 4}" height="{tall:.1f}"/>'
            )
            marks.append(
                f'<text x="{left + step / 2}" y="{base - tall - 5:.1f}" text-anchor="middle">{counts[score]}</text>'
            )
        if score % 2 == out_of % 2:
            marks.append(f'<text x="{left + step / 2}" y="{base + 19}" text-anchor="middle">{score}</text>')
    told = ", ".join(f"{counts[score]} with {score}" for score in sorted(counts))
    drawing = (
        f'<svg class="scores" viewBox="0 0 {width} 248" role="img" aria-label="Bar chart. Submissions by number of problems right: {told}.">'
        f'{"".join(marks)}<line class="axis" x1="5" x2="{width - 5}" y1="{base}" y2="{base}"/>'
        f'<text x="{width / 2}" y="{base + 40}" text-anchor="middle">problems right, of {out_of}</text></svg>'
    )
    body = "".join(
        f'<tr><th scope="row">{score}</th><td>{counts[score]}</td></tr>' for score in range(out_of + 1) if counts[score]
    )
    return _figure(
        "How the scores are spread",
        f"Each bar counts the submissions with that many of the {out_of} computed problems right.",
        drawing,
        f'<table class="counts"><caption>Submissions by score</caption><thead><tr><th scope="col">Problems right</th><th scope="col">Submissions</th></tr></thead><tbody>{body}</tbody></table>',
    )


# --- By problem -------------------------------------------------------------------------------------------------------


def _problems(graded: Sequence[Row]) -> str:
    students = len(graded)
    tallies = [
        (graded[0].results[place].number, Counter(row.results[place].status for row in graded))
        for place in range(graded[0].out_of)
    ]
    line, left, width = 24, 34, 560
    scale = width - left - 116
    marks = []
    for value in (0, 25, 50, 75, 100):
        x = left + scale * value / 100
        marks.append(f'<line class="axis" x1="{x}" x2="{x}" y1="8" y2="{line * len(tallies) + 12}"/>')
        marks.append(f'<text x="{x}" y="{line * len(tallies) + 30}" text-anchor="middle">{value}</text>')
    for place, (number, tally) in enumerate(tallies):
        middle = 20 + line * place
        low, high = wilson(tally["right"], students)
        x, start, end = (left + scale * share for share in (tally["right"] / students, low, high))
        marks.append(f'<text x="{left - 10}" y="{middle + 4}" text-anchor="end">{number}</text>')
        marks.append(
            f'<rect class="band" x="{start:.1f}" y="{middle - 5}" width="{end - start:.1f}" height="10" rx="2"/>'
        )
        marks.append(f'<circle class="dot" cx="{x:.1f}" cy="{middle}" r="5"/>')
        marks.append(f'<text x="{width - 100}" y="{middle + 4}">{tally["right"]} of {students}</text>')
    hardest = min(tallies, key=lambda entry: entry[1]["right"])
    easiest = max(tallies, key=lambda entry: entry[1]["right"])
    told = (
        f"Dot chart of the share of submissions with each problem right, with 95 percent Wilson intervals. Lowest: problem {hardest[0]}, "
        f"{hardest[1]['right']} of {students}. Highest: problem {easiest[0]}, {easiest[1]['right']} of {students}. The table below has all."
    )
    drawing = (
        f'<svg class="problems" viewBox="0 0 {width} {line * len(tallies) + 60}" role="img" aria-label="{told}">{"".join(marks)}'
        f'<text x="{left + scale / 2}" y="{line * len(tallies) + 52}" text-anchor="middle">percent of submissions right</text></svg>'
    )
    body = []
    for number, tally in tallies:
        low, high = wilson(tally["right"], students)
        others = ", ".join(f"{count} {status}" for status, count in tally.most_common() if status != "right") or "none"
        body.append(
            f'<tr><th scope="row">{number}</th><td class="number">{tally["right"]} of {students}</td>'
            f'<td class="number">{_percent(low)} to {_percent(high)}</td><td>{others}</td></tr>'
        )
    return _figure(
        "The class, problem by problem",
        "The dot is the share of submissions that have the problem right. The band is its 95 percent Wilson interval: the shares that "
        "agree with what this class did, taken as a sample of such students.",
        drawing,
        '<table class="counts"><caption>Each problem: right, interval in percent, and what the others are</caption><thead><tr><th scope="col">Problem</th>'
        '<th scope="col">Right</th><th scope="col">Interval</th><th scope="col">Others</th></tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table>",
    )


def _figure(title: str, words: str, drawing: str, table: str) -> str:
    return (
        f'<section class="charts"><h2>{title}</h2><p class="quiet">{words}</p><figure>{drawing}</figure>'
        f"<details><summary>The same as a table</summary>{table}</details></section>"
    )


# --- The submissions --------------------------------------------------------------------------------------------------


def _table(rows: Sequence[Row]) -> str:
    body = "\n".join(_row(row) for row in rows)
    return (
        '<section><h2 id="submissions">Submissions</h2>'
        '<p class="quiet">Unfold a submission to read what a student is told. The interval is the 95 percent Wilson interval of the score. '
        "It treats the problems as drawn from many of their kind. They were chosen, not drawn, so take it as a reminder that no score is exact. "
        "Answers in words are not in the score; they stand in written.md.</p>\n"
        '<table><caption class="quiet">One row a submission</caption><thead><tr><th scope="col">Submission</th>'
        '<th scope="col">Right, with interval</th><th scope="col" class="wide chart-column">0 to 100 percent</th></tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></section>"
    )


def _row(row: Row) -> str:
    name = escape(plain(row.submission, 200))
    if row.state != "graded":
        return (
            f'<tr><th scope="row">{name}<div class="fault">{escape(plain(row.reason, 400))}</div></th>'
            '<td class="score fault">not graded</td><td class="wide chart-column"></td></tr>'
        )
    low, high = wilson(row.score, row.out_of)
    share = row.score / row.out_of
    told = [
        f"<li>Problem {result.number}: {result.status}. {escape(result.sentence)}</li>"
        for result in row.results
        if result.status != "right"
    ]
    told += [f"<li>{escape(note)}</li>" for note in row.notes]
    wrong = row.out_of - row.score
    label = f"{wrong} not right" if wrong else "all right"
    if row.notes:
        label += f", {_count(len(row.notes), 'remark')}"
    unfold = (
        f"<details><summary>{label}</summary><ul>{''.join(told)}</ul></details>"
        if told
        else f'<div class="quiet">{label}</div>'
    )
    drawing = (
        '<svg viewBox="0 0 300 24" aria-hidden="true" focusable="false"><line class="axis" x1="6" x2="294" y1="12" y2="12"/>'
        f'<rect class="band" x="{6 + 288 * low:.1f}" y="7" width="{288 * (high - low):.1f}" height="10" rx="2"/>'
        f'<circle class="dot" cx="{6 + 288 * share:.1f}" cy="12" r="5"/></svg>'
    )
    return (
        f'<tr><th scope="row">{name}{unfold}</th><td class="score"><span class="number">{row.score} of {row.out_of},</span> '
        f'<span class="number">{_percent(share)} percent</span> <span class="number quiet">({_percent(low)} to {_percent(high)})</span></td>'
        f'<td class="wide chart-column">{drawing}</td></tr>'
    )
