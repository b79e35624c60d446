"""Find the numbers in a page's running text, and tell which of them nothing vouches for.

A number counts as vouched for if a code cell of the same page prints it, if the ledger holds it, or if
`prose_figures.yml` gives an arithmetic expression that comes out at it. Numbers compare by value and without sign:
25 equals 25.0, and 10,000 equals 10000.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path

import yaml

from notebooks import ROOT, cells_from_source, printed_text, read_notebook

NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
REFERENCES = "section|formula|chapter|problem|toolkit|try it|figure|table|item|part|step|correction|page|week|module|mistake|draw|run|question"
PROGRAMS = "Python|NumPy|numpy|SciPy|scipy|matplotlib|Matplotlib|statsmodels|Jupyter Book|JupyterLab|CC BY|nbformat|notebook format|version"

# Numbers that name something instead of measuring it. Each kind is removed from the text before numbers are looked for.
KINDS = {
    "code font": r"``.+?``|`[^`\n]+`",
    "address": r"https?://\S+",
    "link target": r"\]\([^)\s]*\)",
    "anchor": r"^\([\w-]+\)=[ \t]*$",
    "comment": r"^%.*$",
    "tag": r"<[^>\n]+>",
    "equation label": r"\$\$[ \t]*\(eq-[\w-]+\)",
    "heading number": r"^#+[ \t]+\d+(?:\.\d+)*\.?[ \t]",
    "list number": r"^[ \t>]*\d+\.[ \t]",
    "reference": rf"\b(?:{REFERENCES})s?\s+\d+(?:\.\d+)*(?:(?:,\s+|\s+(?:and|or|to)\s+|,\s+and\s+)(?>\d+(?:\.\d+)*)(?!\s+(?:percent|questions|points|of\b)))*",
    "section in brackets": r"\[\d+\.\d+\](?=\(#section)|\[\d+\](?=\(#(?:toolkit|problem|correction|section))",
    "date": rf"\b\d{{1,2}}\s+(?:{MONTHS})(?:\s+\d{{4}})?|\b(?:{MONTHS})\s+\d{{1,2}},\s+\d{{4}}|\b(?:{MONTHS})\s+\d{{4}}",
    "year": r"\((?:[A-Z][\w&. -]*,?\s+)?(?:19|20)\d\d\)|\b(?:in|since|of|copyright|spring|fall)\s+(?:19|20)\d\d\b(?!\s+(?:questions|resamples))",
    "clock time": r"\b\d{1,2}:\d{2}(?::\d{2})?\b",
    "version": rf"\b(?:{PROGRAMS})\s+\d+(?:\.(?:\d+|x))*(?:(?:,\s+|\s+(?:and|or|to)\s+|,\s+and\s+)\d+\.\d+(?:\.\d+)*)*|\b\d+\.\d+\.\d+\b",
    "colour": r"#[0-9A-Fa-f]{6}\b",
    "time it takes": r"\*\*Time\*\*[^*\n]*",
    "name": r"\b[A-Za-z_]+[-_]?\d[\w.-]*\b|\b\d+(?:\.\d+)?[A-Za-z_]\w*",
}


def without_kinds(text: str) -> str:
    """Return the text with every number that only names something taken out."""
    # A link's target goes first, so that what is left of the link can be told apart by its own words.
    text = re.sub(KINDS["section in brackets"], " ", text, flags=re.M)
    for kind, pattern in KINDS.items():
        flags = re.M if kind not in ("reference",) else re.M | re.I
        text = re.sub(pattern, " ", text, flags=flags)
    return text


def plain_math(text: str) -> str:
    """Undo what TeX writes inside numbers: 10{,}000 and 1\\,000."""
    text = re.sub(r"(?<=\d)\{,\}(?=\d{3})", ",", text)
    return re.sub(r"(?<=\d)\\,(?=\d{3})", ",", text)


def running_text(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (place, text) for all that a reader of the page reads: text cells, captions, alternative texts."""
    for cell in cells_from_source(path).cells:
        if cell.cell_type == "markdown":
            yield cell.id, cell.source
        else:
            shown = cell.metadata.get("mystnb", {})
            for part, key in (("figure", "caption"), ("image", "alt")):
                text = shown.get(part, {}).get(key)
                if text:
                    yield f"{cell.id} ({key})", str(text)


def value_of(written: str) -> Decimal:
    return Decimal(written.replace(",", "")).normalize()


def numbers_in(text: str) -> list[str]:
    """Return the numbers of a piece of running text, as written, leaving out those that only name something."""
    return [match.group() for match in NUMBER.finditer(without_kinds(plain_math(text)))]


def values_in_output(text: str) -> set[Decimal]:
    return {value_of(match.group()) for match in NUMBER.finditer(text)}


@cache
def ledger_values() -> frozenset[Decimal]:
    """Every number anywhere in the ledger's values."""

    def texts(node: object) -> Iterator[str]:
        if isinstance(node, dict):
            for key, item in node.items():
                yield str(key) if not isinstance(key, int) else ""
                yield from texts(item)
        elif isinstance(node, list):
            for item in node:
                yield from texts(item)
        else:
            yield str(node)

    ledger = yaml.safe_load((ROOT / "tests" / "ledger.yml").read_text(encoding="utf-8"))
    return frozenset(value_of(match.group()) for text in texts(ledger) for match in NUMBER.finditer(text))


OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.Mod: operator.mod,
    ast.FloorDiv: operator.floordiv,
}
FUNCTIONS = {name: getattr(math, name) for name in ("sqrt", "ceil", "floor", "comb", "log10")} | {"abs": abs, "round": round}


def evaluate(expression: str) -> float:
    """Evaluate an arithmetic expression of plain numbers. Raises ValueError for anything else.

    A bare number is no expression: it would vouch for itself.
    """

    def walk(node: ast.AST) -> float:
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -walk(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
            return FUNCTIONS[node.func.id](*map(walk, node.args))
        raise ValueError(f"{expression!r} is not plain arithmetic")

    tree = ast.parse(expression, mode="eval").body
    if not any(isinstance(node, (ast.BinOp, ast.Call)) for node in ast.walk(tree)):
        raise ValueError(f"{expression!r} computes nothing; give the arithmetic behind the number")
    return walk(tree)


PRINTED_ELSEWHERE = re.compile(r"printed by (\S+)#([\w-]+)")


def comes_out_at(expression: str, written: str) -> bool:
    """Whether an expression rounds to a number at the decimals it is written with.

    `printed by chapters/corrections#correction-09` stands for whatever that cell of another page prints.
    """
    elsewhere = PRINTED_ELSEWHERE.fullmatch(expression)
    if elsewhere:
        page, label = elsewhere.groups()
        cells = read_notebook(ROOT / f"{page}.ipynb").cells
        return value_of(written) in set().union(*(values_in_output(printed_text(cell)) for cell in cells if cell.id == label))
    decimals = len(written.partition(".")[2])
    return abs(abs(evaluate(expression)) - float(written.replace(",", ""))) <= 0.5 * 10**-decimals + 1e-9


def unvouched(path: Path, figures: dict[str, str]) -> list[str]:
    """Return a sentence for each number of a page that nothing vouches for.

    `figures` maps a number as written to its expression, for this page.
    """
    stored = path.with_suffix(".ipynb")
    cells = read_notebook(stored).cells if stored.exists() else []  # the front page has no notebook
    printed = set().union(*(values_in_output(printed_text(cell)) for cell in cells if cell.cell_type == "code"))
    vouched = printed | ledger_values() | {value_of(str(number)) for number in figures}
    problems = []
    for place, text in running_text(path):
        for written in numbers_in(text):
            if value_of(written) not in vouched:
                position = plain_math(text).find(written)
                around = " ".join(plain_math(text)[max(0, position - 50) : position + 40].split())
                problems.append(f"{written} in cell {place}: ...{around}...")
    return problems
