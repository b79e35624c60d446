"""What a page asks its reader to understand: signs in formulas, words of arithmetic, pieces of Python.

`toolkit_map.yml` says where each of them is explained; `test_toolkit.py` compares the two.

Left out on purpose: the code of charts (cells labelled `figure-...`), which readers are not asked to read, and TeX that only
arranges a formula on the page.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from notebooks import ROOT, cells_from_source, page_sources

# TeX that moves or groups things and says nothing of its own.
LAYOUT = {
    r"\left", r"\right", r"\quad", r"\qquad", r"\,", r"\;", r"\:", r"\!", r"\ ", r"\text", r"\mathrm", r"\underbrace", r"\begin", r"\end",
    r"\displaystyle", r"\big", r"\Big", r"\bigl", r"\bigr", "\\\\", r"\{", r"\}", "{", "}", "&", ",", ";", "'",
}  # fmt: skip
SAME_SIGN = {r"\dfrac": r"\frac", r"\tfrac": r"\frac", r"\le": r"\leq", r"\ge": r"\geq", r"\dots": r"\ldots", r"\%": "%", "−": "-", "·": r"\cdot"}

# Signs of arithmetic that running text may hold outside formulas.
TEXT_SIGNS = {"×": r"\times", "÷": "÷", "±": r"\pm", "√": r"\sqrt", "Σ": r"\sum", "≤": r"\leq", "≥": r"\geq", "≠": r"\neq", "⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor", "⌋": r"\rfloor", "−": "-",
              "²": "^", "·": r"\cdot", "≈": r"\approx", "∞": r"\infty", "%": "%"}  # fmt: skip

# The words of arithmetic that a school book would index, with the forms they take.
WORDS = {
    "add": r"add(?:s|ed|ing)?(?: (?:up|together))?|addition",
    "subtract": r"subtract\w*|take\w* (?:\w+ ){0,3}away|minus",
    "multiply": r"multipl(?:y|ies|ied|ying|ication)|times (?:itself|the|one)",
    "product": r"products?",
    "divide": r"divid\w*|division",
    "quotient": r"quotients?",
    "fraction": r"fractions?",
    "numerator": r"numerators?|denominators?",
    "ratio": r"ratios?",
    "decimal": r"decimals?|decimal places?",
    "digit": r"digits?",
    "sum": r"sums?|total",
    "square": r"squar(?:e|ed|es|ing)(?! roots?\b|-root)",
    "square root": r"square[ -]roots?",
    "root": r"(?<!square )(?<!square-)roots?",
    "cube": r"cubed?",
    "power": r"to the power|powers first|exponents?",
    "logarithm": r"logarithms?",
    "log axis": r"log(?:arithmic)? ax[ie]s|axis is logarithmic",
    "average": r"averag\w*",
    "mean": r"(?:the|a) means?|mean of|means? (?:accuracy|coverage|score)",
    "median": r"medians?",
    "mode": r"modes",
    "variance": r"variances?",
    "standard deviation": r"standard deviations?",
    "spread": r"spreads?",
    "percent": r"percent(?:age)?s?(?! points?\b)",
    "percentage points": r"percentage points?",
    "percentile": r"percentiles?",
    "quartile": r"quartiles?|quantiles?",
    "rank": r"ranks?",
    "sort": r"sort(?:s|ed|ing)?(?! of\b)",
    "interpolate": r"interpolat\w*",
    "share": r"shares?",
    "proportion": r"proportions?",
    "half": r"half|halves|halv\w+",
    "quarter": r"quarters?",
    "third": r"a third|two thirds",
    "round": r"round(?:s|ed|ing)?(?! (?:this|it|about|trip)\b)(?: up| down)?",
    "nearest": r"nearest",
    "ceiling": r"ceilings?",
    "floor": r"floors?",
    "whole number": r"whole numbers?",
    "negative": r"negative",
    "distance": r"distances?",
    "plus or minus": r"plus or minus|plus and minus|minus and plus",
    "interval": r"intervals?",
    "greater than": r"(?:greater|less|smaller|larger) than",
    "equal": r"equals?",
    "formula": r"formulas?|formulae",
    "hat": r"p[ -]hat",
    "tilde": r"p[ -]tilde",
    "bar": r"p[ -]bar",
    "star": r"z[ -]star|p-hat star",
    "subscript": r"subscripts?",
    "index": r"indexe?s?|indices",
    "histogram": r"histograms?",
    "axis": r"ax[ie]s",
    "number line": r"number lines?",
    "band": r"bands?|shaded",
    "bell curve": r"bell curves?",
    "tail": r"tails?",
    "with replacement": r"with replacement",
    "put back": r"put(?:s|ting)? (?:it |each )?back",
    "slice": r"slices?",
    "integral": r"integrals?|integrat\w+",
    "derivative": r"derivatives?",
    "factorial": r"factorials?",
    "matrix": r"matrix|matrices",
    "vector": r"vectors?",
    "modulo": r"modulo|remainders?",
    "reciprocal": r"reciprocals?",
    "sine": r"sine|cosine|tangent",
    "exponential": r"exponential(?:ly)?",
    "covariance": r"covariances?|correlations?",
}

BUILT_IN_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.FloorDiv: "//", ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|",
    ast.MatMult: "@", ast.USub: "-number", ast.Not: "not", ast.Invert: "~", ast.And: "and", ast.Or: "or",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in", ast.Is: "is",
    ast.IsNot: "is not",
}  # fmt: skip
# Statements and expressions that are a construct by themselves, as a reader would name them.
PLAIN_NODES = {
    ast.For: "for", ast.While: "while", ast.If: "if", ast.With: "with", ast.Import: "import", ast.ImportFrom: "from ... import", ast.List: "[...]",
    ast.Dict: "{...}", ast.Set: "{...}", ast.ListComp: "[... for ...]", ast.DictComp: "{... for ...}", ast.SetComp: "{... for ...}",
    ast.GeneratorExp: "(... for ...)", ast.Lambda: "lambda", ast.FunctionDef: "def", ast.ClassDef: "class", ast.JoinedStr: 'f"..."', ast.IfExp: "... if ... else ...",
    ast.Break: "break", ast.Continue: "continue", ast.Try: "try", ast.Raise: "raise", ast.Assert: "assert", ast.Starred: "*values",
    ast.NamedExpr: ":=", ast.Delete: "del", ast.Return: "return", ast.Yield: "yield", ast.Global: "global", ast.Pass: "pass", ast.AugAssign: "+=",
}  # fmt: skip
# Whole libraries that serve as referees; their functions are not taught one by one.
REFEREES = {"scipy", "statsmodels"}


def formulas_in(text: str) -> Iterator[str]:
    """Yield the TeX of each formula of a text cell, display and inline."""
    text = re.sub(r"``.*?``|`[^`\n]*`", " ", text)
    for display, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", text, flags=re.S):
        yield display or inline


def signs_in_formula(tex: str) -> set[str]:
    """Return the signs and letters of one formula: TeX commands, single letters, SE, and operators."""
    tex = re.sub(r"\\(?:text|mathrm|operatorname)\{[^{}]*\}", " ", tex)
    names = r"(?<![A-Za-z\\])[A-Z]{2,}(?![A-Za-z])"
    found = set(re.findall(names, tex))  # SE is one name
    tex = re.sub(names, " ", tex)
    for sign in re.findall(r"\\[A-Za-z]+|\\.|[^\s\d.]", tex):
        sign = SAME_SIGN.get(sign, sign)
        if sign not in LAYOUT:
            found.add(sign)
    return found


def signs_in_text(text: str) -> set[str]:
    """Return every sign that a text cell uses, in its formulas and in its sentences."""
    found = set().union(*map(signs_in_formula, formulas_in(text)), set())
    plain = re.sub(r"``.*?``|`[^`\n]*`|\$\$.+?\$\$|\$[^$\n]+\$", " ", text, flags=re.S)
    plain = re.sub(r"^%.*$", " ", plain, flags=re.M)  # a MyST comment
    return found | {sign for written, sign in TEXT_SIGNS.items() if written in plain}


def words_in_text(text: str) -> set[str]:
    """Return the words of arithmetic that a text cell uses, each by the name `WORDS` gives it."""
    text = re.sub(r"\]\([^)]*\)|`[^`\n]*`|\$[^$]*\$|^\(.*\)=$", " ", text, flags=re.M)
    text = re.sub(r"\s+", " ", text)
    return {name for name, forms in WORDS.items() if re.search(rf"\b(?:{forms})\b", text, flags=re.I)}


def python_in(code: str, imported: dict[str, str]) -> set[str]:
    """Return the pieces of Python that one cell uses, written as a reader would look them up.

    `imported` maps the names that imports have made so far on the page to what they stand for; the cell's own are added to it.
    """
    tree = ast.parse(code)
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported.update({(name.asname or name.name).split(".")[0]: name.name for name in node.names})
        elif isinstance(node, ast.ImportFrom):
            imported.update({name.asname or name.name: f"{node.module}.{name.name}" for name in node.names})

    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    inside = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}

    def dotted(node: ast.expr) -> str:
        """`math.sqrt` for a function of a module, `.append` for a method of a value, `print` for a built-in one."""
        path, root = "", node
        while isinstance(root, ast.Attribute):
            path, root = f".{root.attr}{path}", root.value
        if isinstance(root, ast.Name) and root.id in imported:
            library = imported[root.id].split(".")[0]
            return library if library in REFEREES else root.id + path
        return root.id if isinstance(node, ast.Name) else f".{node.attr}" if isinstance(node, ast.Attribute) else "(...)(...)"

    for node in ast.walk(tree):
        kind = type(node)
        if kind in PLAIN_NODES:
            found.add(PLAIN_NODES[kind])
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.BoolOp)):
            found.add(BUILT_IN_OPERATORS[type(node.op)])
        elif isinstance(node, ast.Compare):
            found.update(BUILT_IN_OPERATORS[type(operator)] for operator in node.ops)
            if len(node.ops) > 1:
                found.add("a <= b <= c")
        elif isinstance(node, ast.Call):
            found.add(dotted(node.func))
            found.update(f"{word.arg}=" if word.arg else "**values" for word in node.keywords)
        elif isinstance(node, ast.Attribute) and id(node) not in called and id(node) not in inside:
            found.add(dotted(node))
        elif isinstance(node, ast.Assign):
            found.add("a, b = ..." if isinstance(node.targets[0], (ast.Tuple, ast.List)) else "name = ...")
        elif isinstance(node, ast.Subscript):
            place = node.slice
            if isinstance(place, ast.Slice):
                found.add("values[0:10]")
            elif isinstance(place, ast.UnaryOp):
                found.add("values[-1]")
            elif isinstance(place, ast.Constant) and isinstance(place.value, str):
                found.add('row["name"]')
            else:
                found.add("values[0]")
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, bool) or node.value is None:
                found.add(str(node.value))
            elif isinstance(node.value, str):
                found.add('"text"')
        if isinstance(node, (ast.If, ast.For, ast.While)) and node.orelse:
            nested = isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)
            found.add("elif" if nested else "else")
        if isinstance(node, ast.For) and isinstance(node.target, ast.Tuple):
            found.add("for a, b in ...")
    if re.search(r"^\s*#|\s#\s", code, flags=re.M):
        found.add("# comment")
    return found


@cache
def constructs_of(page: Path) -> dict[str, frozenset[str]]:
    """Return what a page uses: {"formulas": ..., "words": ..., "python": ...}."""
    signs: set[str] = set()
    words: set[str] = set()
    python: set[str] = set()
    imported: dict[str, str] = {}
    for cell in cells_from_source(page).cells:
        if cell.cell_type == "markdown":
            signs |= signs_in_text(cell.source)
            words |= words_in_text(cell.source)
        elif not cell.id.startswith("figure-"):
            python |= python_in(cell.source, imported)
    return {"formulas": frozenset(signs), "words": frozenset(words), "python": frozenset(python)}


@cache
def places() -> dict[str, str]:
    """Return {anchor: the text that stands under it} for every anchor in front of a heading of the book.

    The text under an anchor runs to the next heading of the same or a higher level.
    """
    found: dict[str, str] = {}
    for page in page_sources(ROOT):
        lines = page.read_text(encoding="utf-8").splitlines()
        fenced = False
        levels: list[int] = []  # the heading level of each line, 0 for other lines
        for line in lines:
            fenced ^= line.startswith("```")
            heading = re.match(r"(#+) ", line)
            levels.append(len(heading.group(1)) if heading and not fenced else 0)
        for number, line in enumerate(lines):
            anchor = re.fullmatch(r"\(([\w-]+)\)=", line)
            start = next((at for at in range(number + 1, min(number + 4, len(lines))) if levels[at]), None)
            if anchor and start:
                end = next((at for at in range(start + 1, len(lines)) if 0 < levels[at] <= levels[start]), len(lines))
                found[anchor.group(1)] = "\n".join(lines[start:end])
    return found
