"""What the site says of itself to search engines and to people who share a link, and what it shows at a dead address.

* Each page is described by its first paragraph.
* `404.html` is made for web servers to show where there is no page. GitHub Pages finds it by this name.
* The environment variable SITE_URL is the address under which the site is published. With it come canonical links,
  `sitemap.xml`, and a card (title, sentence, picture) for shared links. All of these need the full address, so a site
  built without it, to be read from disk, has none of them.
* Where GitHub builds the published site it also names the repository. Pages then link to it, and to Binder.
"""

from __future__ import annotations

import html
import os
import textwrap
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit
from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

import social_card

NOT_FOUND = "404"
DESCRIPTION_LENGTH = 160  # characters; search engines show about so many

# The page is served at addresses of any depth, so its links hang on <base>. That would also turn links within the page
# into links to the front page; the script puts this right.
NOT_FOUND_BODY = """
<h1>Page not found</h1>
<p>There is no page at this address. The link may be old, or mistyped.</p>
<p>Begin at the <a href="{front}">front page</a>, or <a href="{search}">search the course</a>.</p>
<script>
for (const link of document.querySelectorAll('a[href^="#"]')) link.href = location.pathname + location.search + link.getAttribute("href");
</script>
"""


def read_address(app: Sphinx, config: Config) -> None:
    """Take the site's address from SITE_URL. Raises ConfigError if it is not a web address."""
    address = os.environ.get("SITE_URL", "").strip()
    if not address:
        return
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise ConfigError(
            f"SITE_URL is {address!r}, which is not the address of a site. Give it in full, such as "
            "https://example.org/course, or unset SITE_URL to build a site that is read from disk."
        )
    config.html_baseurl = address.rstrip("/") + "/"
    repository = os.environ.get("GITHUB_REPOSITORY")
    if repository:
        server = os.environ.get("GITHUB_SERVER_URL", "https://github.com")
        config.html_theme_options.update(
            repository_url=f"{server}/{repository}",
            repository_branch=os.environ.get("GITHUB_REF_NAME", "main"),
            use_repository_button=True,
            launch_buttons={"binderhub_url": "https://mybinder.org", "notebook_interface": "jupyterlab"},
        )


def first_paragraph(doctree: nodes.document) -> str:
    """Return the page's first paragraph as plain text, shortened at a word."""
    paragraphs = (paragraph.astext() for paragraph in doctree.findall(nodes.paragraph))
    return textwrap.shorten(next(filter(str.strip, paragraphs), ""), DESCRIPTION_LENGTH, placeholder=" …")


def tag(kind: str, name: str, content: str | int) -> str:
    return f'<meta {kind}="{name}" content="{html.escape(str(content))}" />\n'


def describe(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    """Add the page's description and, on a published site, its card."""
    site = app.config.html_baseurl
    if pagename == NOT_FOUND:
        # First of all tags: it holds for the addresses after it.
        base = f'<base href="{html.escape(urlsplit(site).path)}" />\n' if site else ""
        context["metatags"] = base + tag("name", "robots", "noindex") + context.get("metatags", "")
        context["pageurl"] = None  # no canonical address: it stands in for many
    if doctree is None:
        return
    description = first_paragraph(doctree)
    tags = tag("name", "description", description) if description else ""
    if site:
        tags += "".join(
            [
                tag("property", "og:type", "website"),
                tag("property", "og:site_name", app.config.html_title),
                tag("property", "og:title", app.env.titles[pagename].astext()),
                tag("property", "og:description", description),
                tag("property", "og:url", urljoin(site, app.builder.get_target_uri(pagename))),
                tag("property", "og:image", urljoin(site, f"_static/{social_card.CARD.name}")),
                tag("property", "og:image:width", social_card.WIDTH),
                tag("property", "og:image:height", social_card.HEIGHT),
                tag("property", "og:image:alt", social_card.ALTERNATIVE_TEXT),
                tag("name", "twitter:card", "summary_large_image"),
            ]
        )
    context["metatags"] = context.get("metatags", "") + tags


def make_not_found_page(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    body = NOT_FOUND_BODY.format(front=app.builder.get_target_uri("index"), search=app.builder.get_target_uri("search"))
    yield NOT_FOUND, {"title": "Page not found", "body": body}, "page.html"


def write_sitemap(app: Sphinx, exception: Exception | None) -> None:
    """Write sitemap.xml beside the pages, or remove an old one if the site has no address."""
    if exception or app.builder.name != "html":
        return
    target = app.outdir / "sitemap.xml"
    site = app.config.html_baseurl
    if not site:
        target.unlink(missing_ok=True)
        return
    pages = ElementTree.Element("urlset", xmlns="http://www.sitemaps.org/schemas/sitemap/0.9")
    for name in sorted(app.env.all_docs):
        page = ElementTree.SubElement(pages, "url")
        ElementTree.SubElement(page, "loc").text = urljoin(site, app.builder.get_target_uri(name))
    ElementTree.indent(pages)
    part = target.with_name(target.name + ".part")
    ElementTree.ElementTree(pages).write(part, encoding="utf-8", xml_declaration=True)
    os.replace(part, target)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("config-inited", read_address)
    app.connect("html-collect-pages", make_not_found_page)
    app.connect("html-page-context", describe)
    app.connect("build-finished", write_sitemap)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
