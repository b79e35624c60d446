"""The `{used-in}` directive: links back from a page to every place that links to it.

Put an empty `{used-in}` fence on a page with a labelled title, such as `(toolkit-06)=`. On the site it becomes a list with one line for
each page that links there, naming the labelled sections that the links stand in. Text inside the fence is for readers of the bare
notebook, where no list can be made; the site drops it.

Links from pages in the same folder do not count: a toolkit page that mentions another one is not a place where the course uses it.
A page that nothing links to is a warning, and so an error with `-W`.

Nothing is written down by hand: the list is made from the links that were read. When a link comes or goes, the pages whose list
it changes are written again, also in an incremental build.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)

# One link: (label it points to, label of the section it stands in).
Link = tuple[str, str]
# One line of a list: (page, its title, [(section's id, section's title), ...]).
Place = tuple[str, str, list[tuple[str, str]]]


class used_in(nodes.Element):
    """Holds the list's place until every page has been read."""


class UsedIn(SphinxDirective):
    """`{used-in}`. Takes no argument and no option; its body is ignored."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        place = used_in()
        self.set_source_info(place)
        return [place]


def links_by_page(env: BuildEnvironment) -> dict[str, list[Link]]:
    """Return every link to a label, by the page it stands on, in the order of the text."""
    if not hasattr(env, "used_in_links"):
        env.used_in_links = {}
    return env.used_in_links


def written_lists(env: BuildEnvironment) -> dict[str, list[Place]]:
    """Return the list each `{used-in}` page got when it was last written, by page."""
    if not hasattr(env, "used_in_written"):
        env.used_in_written = {}
    return env.used_in_written


def section_label(document: nodes.document, node: nodes.Node | None) -> str | None:
    """Return the label of the nearest section around `node` that has one, or None."""
    while node is not None:
        if isinstance(node, nodes.section):
            for name in node["names"]:
                if document.nametypes.get(name):  # True: written by hand, not made from the title
                    return name
        node = node.parent
    return None


def read_links(app: Sphinx, document: nodes.document) -> None:
    """Note where each link of a page points and which section it stands in."""
    found = []
    for reference in document.findall(addnodes.pending_xref):
        label = section_label(document, reference)
        if label is not None:
            found.append((reference["reftarget"], label))
    links_by_page(app.env)[app.env.docname] = found
    if any(document.findall(used_in)):
        written_lists(app.env).setdefault(app.env.docname, [])
    else:
        written_lists(app.env).pop(app.env.docname, None)


def forget_page(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    links_by_page(env).pop(docname, None)


def merge_pages(app: Sphinx, env: BuildEnvironment, docnames: Iterable[str], other: BuildEnvironment) -> None:
    """Take over what a parallel reader noted."""
    read_there = set(docnames)
    links_by_page(env).update({page: found for page, found in links_by_page(other).items() if page in read_there})
    written_lists(env).update({page: found for page, found in written_lists(other).items() if page in read_there})


def places(env: BuildEnvironment, docname: str) -> list[Place]:
    """Return the pages that link to `docname`, sorted by name, each with its sections in the order of the text."""
    labels = env.get_domain("std").labels  # label: (page, id, title)
    own = {label for label, (page, _, _) in labels.items() if page == docname}
    folder = PurePosixPath(docname).parent
    found = []
    for page, links in sorted(links_by_page(env).items()):
        if PurePosixPath(page).parent == folder:
            continue
        sections = dict.fromkeys(labels[section][1:] for target, section in links if target in own and section in labels)
        if sections:
            found.append((page, env.titles[page].astext(), list(sections)))
    return found


def pages_to_write(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return the pages whose list is no longer what was written, for Sphinx to write again."""
    for docname in set(written_lists(env)) - env.found_docs:
        del written_lists(env)[docname]
    now = {docname: places(env, docname) for docname in written_lists(env)}
    changed = [docname for docname, found in now.items() if found != written_lists(env)[docname]]
    written_lists(env).update(now)
    return changed


def fill_lists(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the finished list where the directive stood."""
    for place in list(doctree.findall(used_in)):
        found = places(app.env, docname)
        if not found:
            logger.warning("nothing links to this page; link to it from where it is used, or remove it", location=place, type="used_in")
        lines = nodes.bullet_list(classes=["used-in"])
        for page, page_title, sections in found:
            line = nodes.paragraph()
            line += nodes.emphasis(text=page_title)
            line += nodes.Text(": ")
            for number, (identifier, title) in enumerate(sections):
                if number:
                    line += nodes.Text(", ")
                line += link(app.builder, docname, page, identifier, title)
            lines += nodes.list_item("", line)
        place.replace_self(lines if found else [])


def link(builder: Builder, here: str, page: str, identifier: str, title: str) -> nodes.reference:
    address = builder.get_relative_uri(here, page) + "#" + identifier
    return nodes.reference("", title, internal=True, refuri=address)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(used_in)
    app.add_directive("used-in", UsedIn)
    app.connect("doctree-read", read_links)
    app.connect("env-purge-doc", forget_page)
    app.connect("env-merge-info", merge_pages)
    app.connect("env-updated", pages_to_write)
    app.connect("doctree-resolved", fill_lists)
    return {"version": "1", "env_version": 1, "parallel_read_safe": True, "parallel_write_safe": True}
