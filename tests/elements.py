"""The interactive elements for tests: their markup, plain pages that hold one, and the site's own pages.

The markup is built from the figures ledger, so a plain page and the chapter hold the same data.
"""

from __future__ import annotations

import functools
import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Locator, Page

from notebooks import ROOT

FOLDER = ROOT / "_static" / "score-lab"
SCRIPTS = sorted(FOLDER.glob("*.js"))
STYLES = sorted(FOLDER.glob("*.css"))
LEDGER = yaml.safe_load((ROOT / "tests" / "ledger.yml").read_text(encoding="utf-8"))

RESULTS: list[int] = LEDGER["chapter_12"]["data"]["results_in_order"]
BOOTSTRAP = LEDGER["chapter_12"]["data"]["bootstrap"]
LABELS: list[int] = LEDGER["uncertainty"]["data"]["labels"]
FALLBACK = "<p>What shows where scripts do not run.</p>"


def element(name: str, content: str = FALLBACK, **attributes: object) -> str:
    """Return one element's markup with `content` as its fallback. Attribute values may not hold double quotes."""
    written = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f"<{name}{written}>{content}</{name}>"


def listed(values: list[int]) -> str:
    return ",".join(map(str, values))


MARKUP = {
    "resample-lab": element("resample-lab", results=listed(RESULTS), seed=BOOTSTRAP["seed"], resamples=BOOTSTRAP["resamples"]),
    "set-size-lab": element("set-size-lab", results=listed(LABELS), seed=0, resamples=10000, multiples="1,2,4,8,16"),
    "score-checker": element("score-checker", right=5, asked=20, level=95),
}


def write_page(folder: Path, body: str, scripts: list[Path] | None = None) -> str:
    """Write a page that holds `body` and loads the elements' scripts as classic scripts; return its file:// address."""
    head = "".join(f'<link rel="stylesheet" href="{path.as_uri()}">' for path in STYLES)
    head += "".join(f'<script src="{path.as_uri()}"></script>' for path in (SCRIPTS if scripts is None else scripts))
    page = folder / "page.html"
    page.write_text(
        f'<!doctype html><html lang="en" data-theme="light"><meta charset="utf-8"><title>Test</title>'
        f'<meta name="viewport" content="width=device-width">{head}<main><h1>Test</h1>{body}</main></html>',
        encoding="utf-8",
    )
    return page.as_uri()


@functools.cache
def page_with(site: Path, name: str) -> Path:
    """Return the smallest page of the built site that holds an element."""
    pages = [path for path in site.rglob("*.html") if f"<{name} " in path.read_text(encoding="utf-8")]
    assert pages, f"No page of the site has <{name}>."
    return min(pages, key=lambda path: path.stat().st_size)


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine, and yield the address of its root without a slash at the end."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=folder))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="session")
def served_site(site: Path) -> Iterator[str]:
    """The address of the built site on a local server."""
    with serving(site) as address:
        yield address


@pytest.fixture(params=["plain page", "site from disk", "site from a server"])
def address_of(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Where to find an element: a function from its name to the address of a page that holds it."""
    if request.param == "plain page":
        return lambda name: write_page(tmp_path, MARKUP[name])
    site = request.getfixturevalue("site")
    if request.param == "site from disk":
        return lambda name: page_with(site, name).as_uri()
    served = request.getfixturevalue("served_site")
    return lambda name: f"{served}/{page_with(site, name).relative_to(site).as_posix()}"


def settled(lab: Locator, act: Callable[[], None]) -> None:
    """Do something to a simulation and wait until it has been carried out."""
    lab.evaluate("lab => { lab.whenSettled = new Promise(resolve => lab.addEventListener('settled', resolve, {once: true})) }")
    act()
    lab.evaluate("lab => lab.whenSettled")


def read_outs(lab: Locator) -> dict[str, str]:
    """Return the named values that a simulation shows."""
    return dict(lab.locator("dl.read-outs > div").evaluate_all("all => all.map(one => [...one.children].map(c => c.textContent))"))


def table_rows(table: Locator) -> list[list[str]]:
    """Return a table's body as text, also where it is folded away."""
    return table.locator("tbody tr").evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")


def watch_errors(page: Page) -> list[str]:
    """Collect what goes wrong in a page from now on: exceptions and console errors."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
    return found
