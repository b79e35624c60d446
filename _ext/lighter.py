"""Sends readers less: only the style rules that the site uses, no script before the text, no marks around plain code.

A phone's first look at a page waits for its styles and for every script in its head. Two thirds of the theme's styles
are for things that no page of this book has.
"""

from __future__ import annotations

import os
import re
from typing import Any

import tinycss2
from pygments.formatters import HtmlFormatter
from pygments.styles import get_style_by_name
from pygments.token import Token
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.highlighting import PygmentsBridge

WORD = re.compile(r"[\w-]+")


# ---- Styles


def required(selector: list[Any]) -> set[str]:
    """Return the classes and ids that a page must have for a selector to match anything.

    Names inside functions such as `:not(...)` and `:is(...)` may be absent or alternatives, so they are not required.
    """
    names = set()
    for before, token in zip([None, *selector], selector, strict=False):
        if token.type == "hash" or token.type == "ident" and before is not None and before == ".":
            names.add(token.value)
    return names


def is_used(rule: Any, words: set[str]) -> bool:
    selectors: list[list[Any]] = [[]]
    for token in rule.prelude:
        if token == ",":
            selectors.append([])
        else:
            selectors[-1].append(token)
    return any(required(selector) <= words for selector in selectors)


def used_rules(rules: list[Any], words: set[str]) -> str:
    """Serialize parsed rules without those whose every selector needs a class or id that is not among `words`."""
    kept = []
    for rule in rules:
        if rule.type == "qualified-rule" and not is_used(rule, words):
            continue
        if rule.type == "comment" and not rule.value.startswith("!"):  # `/*!` is a licence
            continue
        if rule.type == "at-rule" and rule.lower_at_keyword in ("media", "supports") and rule.content is not None:
            inner = used_rules(tinycss2.parse_rule_list(rule.content, skip_whitespace=True), words)
            if inner:
                kept.append(f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}")
            continue
        kept.append(rule.serialize())
    return "".join(kept)


def trim_styles(app: Sphinx, exception: Exception | None) -> None:
    """Drop from the built stylesheets each rule for a class or id that stands in no built page and in no script.

    Scripts set classes by name, so every word of theirs counts as used.
    """
    if exception or app.builder.name != "html":
        return
    words: set[str] = set()
    for kind in ("*.html", "*.js"):
        for path in app.outdir.rglob(kind):
            words.update(WORD.findall(path.read_text(encoding="utf-8")))
    for path in app.outdir.rglob("*.css"):
        rules = tinycss2.parse_stylesheet(path.read_text(encoding="utf-8"), skip_whitespace=True)
        part = path.with_name(path.name + ".part")
        part.write_text(used_rules(rules, words), encoding="utf-8")
        os.replace(part, path)


# ---- Scripts


def defer_scripts(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: Any) -> None:
    """Let the scripts in a page's head wait until the page is read; they keep their order.

    Lines of script without a file cannot wait, and set options of things this book does not have. The search page's own
    lines need its scripts at once.
    """
    if pagename == "search":
        return
    context["script_files"] = [
        # A copy: all pages share one list of scripts.
        type(script)(script.filename, priority=script.priority, **script.attributes | {"defer": "defer"})
        for script in context.get("script_files", [])
        if script.filename
    ]


# ---- Code


def looks_plain(token_type: Any, styles: tuple[Any, ...]) -> bool:
    """Whether a piece of code looks the same as a plain name, in every one of the Pygments styles."""
    return all(style.style_for_token(token_type) == style.style_for_token(Token.Name) for style in styles)


def mark_less_code(app: Sphinx, config: Config) -> None:
    """Leave the marks around plain names, brackets and spaces out of highlighted code: half of all marks."""
    options = config.html_theme_options
    styles = tuple(get_style_by_name(options[f"pygments_{theme}_style"]) for theme in ("light", "dark"))

    class CodeFormatter(HtmlFormatter):
        def _get_css_classes(self, token_type: Any) -> str:
            return "" if looks_plain(token_type, styles) else super()._get_css_classes(token_type)

    PygmentsBridge.html_formatter = CodeFormatter


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", mark_less_code)
    app.connect("html-page-context", defer_scripts, priority=950)
    app.connect("build-finished", trim_styles, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
