"""Measure what the course promises its readers, each as a ratio against something run beside it.

    python tests/bench.py              every measurement (several minutes)
    python tests/bench.py weight site  only these (weight, replay, site, drawing, grading)

Seconds depend on the machine, ratios much less; the budgets are ratios, sizes and counts. The exit status is 1 if one is missed.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from playwright.sync_api import sync_playwright

import bench_interactive
import browser as chromium
from kernels import AsyncFolderKernelManager
from notebooks import PAGE_FOLDERS, ROOT, page_notebooks
from tree import copy_project

CHAPTER = "chapters/12-is-that-score-real.html"
JUPYTER_BOOK = Path(sys.executable).with_name("jupyter-book")

STOCK_CONFIG = """\
title: Is that score real?
only_build_toc_files: true
exclude_patterns: ["chapters/**.md", "toolkit/**.md", "answers/**"]
execute: {execute_notebooks: "off"}
parse: {myst_enable_extensions: [attrs_block, colon_fence, deflist, dollarmath]}
"""


@dataclass(frozen=True)
class Measurement:
    """One line of the table. `met` is None where there is no budget."""

    what: str
    measured: str
    budget: str
    met: bool | None


class GzipHandler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder as a web host does: text compressed, with a content length."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        self.send_response(200)
        if path.suffix in (".html", ".css", ".js", ".svg", ".json", ".txt"):
            body = gzip.compress(body, 9, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port until the block ends; yield its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(GzipHandler, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


@dataclass(frozen=True)
class Visit:
    """A first visit to one page, without scrolling: bytes over the wire from this site, requests to it, requests elsewhere."""

    weight: int
    requests: int
    elsewhere: int
    lazy: int


def visit(site: Path, page_path: str) -> Visit:
    """Open a page in a new browser at phone size, do not scroll, and count what it fetches. Sizes in bytes."""
    sizes: dict[str, int] = {}
    elsewhere: set[str] = set()
    with served(site) as address, sync_playwright() as playwright:
        instance = chromium.launch(playwright)
        page = instance.new_page(viewport={"width": 390, "height": 844})

        def note(request: object) -> None:
            if request.url.startswith(address):
                size = request.sizes()
                sizes[request.url] = size["responseBodySize"] + size["responseHeadersSize"]

        page.on("requestfinished", note)
        page.on("request", lambda request: None if request.url.startswith((address, "data:")) else elsewhere.add(request.url))
        page.goto(f"{address}/{page_path}", wait_until="load")
        page.wait_for_timeout(1500)
        lazy = [url for url in sizes if "/_images/" in url]
        instance.close()
    return Visit(sum(size for url, size in sizes.items() if url not in lazy), len(sizes) - len(lazy), len(elsewhere), len(lazy))


def stock_book(folder: Path) -> Path:
    """Build the same pages with Jupyter Book as it comes, and return the built site."""
    for name in (*PAGE_FOLDERS, "_static"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(".ipynb_checkpoints", "*.js", "*.css"))
    shutil.copy(ROOT / "index.md", folder)
    pages = [line for line in (ROOT / "_toc.yml").read_text(encoding="utf-8").splitlines() if "file: status" not in line]
    text = "\n".join(pages).replace("  - caption: About\n    chapters:", "")
    (folder / "_toc.yml").write_text(text + "\n", encoding="utf-8")
    (folder / "_config.yml").write_text(STOCK_CONFIG, encoding="utf-8")
    # Without the course's own extension some directives are unknown; those warnings do not stop the build.
    run = subprocess.run([JUPYTER_BOOK, "build", str(folder)], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"the stock book was not built:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return folder / "_build" / "html"


def built_site() -> Path:
    site = ROOT / "_build" / "html"
    if not (site / "index.html").is_file():
        raise SystemExit("The site is not built. Run: make book")
    return site


def weight() -> list[Measurement]:
    own = visit(built_site(), CHAPTER)
    with tempfile.TemporaryDirectory() as scratch:
        stock = visit(stock_book(Path(scratch) / "stock"), CHAPTER)
    heavier = stock.weight / own.weight
    return [
        Measurement("chapter page, first visit, gzip", f"{own.weight / 1000:.0f} KB", "300 KB", own.weight <= 300_000),
        Measurement("its requests (charts come later)", f"{own.requests}", "25", own.requests <= 25),
        Measurement("its requests to other hosts", f"{own.elsewhere}", "0", own.elsewhere == 0),
        Measurement(
            "the same page by stock Jupyter Book, without what it asks other hosts for",
            f"{stock.weight / 1000:.0f} KB, {heavier:.1f} times heavier; {stock.requests} requests and {stock.elsewhere} elsewhere",
            "3 times",
            heavier >= 3,
        ),
    ]


def replay() -> list[Measurement]:
    began = time.perf_counter()
    for path in page_notebooks():
        notebook = nbformat.read(path, as_version=4)
        if any(cell.cell_type == "code" for cell in notebook.cells):
            client = NotebookClient(
                notebook, timeout=120, kernel_name="python3", kernel_manager_class=AsyncFolderKernelManager, resources={"metadata": {"path": str(path.parent)}}
            )
            client.execute(stderr=subprocess.DEVNULL)  # kernels warn there of unencrypted local sockets
    bare = time.perf_counter() - began

    began = time.perf_counter()
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", *PAGE_FOLDERS], cwd=ROOT, capture_output=True, text=True)
    replayed = time.perf_counter() - began
    if run.returncode:
        raise RuntimeError(f"the replay failed:\n{run.stdout[-2000:]}")
    ratio = replayed / bare
    return [Measurement("replay of all notebooks against bare nbclient", f"{ratio:.2f} times ({replayed:.0f} s against {bare:.0f} s)", "1.3 times", ratio <= 1.3)]


def site() -> list[Measurement]:
    def build(folder: Path) -> float:
        began = time.perf_counter()
        run = subprocess.run([JUPYTER_BOOK, "build", ".", "-W", "-n", "--keep-going"], cwd=folder, capture_output=True, text=True)
        if run.returncode:
            raise RuntimeError(f"the copy was not built:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
        return time.perf_counter() - began

    with tempfile.TemporaryDirectory() as scratch:
        copy = copy_project(Path(scratch) / "copy")
        clean = build(copy)
        page = copy / "chapters" / "uncertainty.ipynb"
        text = page.read_text(encoding="utf-8")
        assert "anecdote" in text
        page.write_text(text.replace("anecdote", "story", 1), encoding="utf-8")
        edited = build(copy)
    ratio = edited / clean
    return [Measurement("site build after a one-word edit, against a clean build", f"{ratio:.2f} ({edited:.1f} s against {clean:.1f} s)", "0.25", ratio <= 0.25)]


def drawing() -> list[Measurement]:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as scratch:
        instance = chromium.launch(playwright)
        measured = bench_interactive.speed(instance, Path(scratch))
        longest = bench_interactive.longest_task(instance, Path(scratch), "resample-lab", bench_interactive.PRESS)
        instance.close()
    return [
        Measurement(
            "10,000 resamples of 20 in the page against the chapter's NumPy loop",
            f"{measured['ratio']:.0f} times faster ({measured['press']:.1f} ms against {measured['numpy_loop']:.0f} ms)",
            "20 times",
            measured["ratio"] >= 20,
        ),
        Measurement("10,000 resamples of 480 in the page", f"{measured['slide_480']:.0f} ms", "1000 ms", measured["slide_480"] < 1000),
        Measurement("longest task of it on the page's main thread, processor time", f"{longest:.1f} ms", "16 ms", longest < 16),
    ]


def grading() -> list[Measurement]:
    submissions = 24
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        subprocess.run([sys.executable, ROOT / "tests" / "make_submissions.py", folder / "class", "--class", str(submissions)], check=True, capture_output=True)
        began = time.perf_counter()
        run = subprocess.run(
            [sys.executable, "-m", "answers.grading", folder / "class", "--jobs", "1", "--out", folder / "grades"], cwd=ROOT, capture_output=True, text=True
        )
        took = time.perf_counter() - began
        if run.returncode:
            raise RuntimeError(f"the class was not graded:\n{run.stderr[-2000:]}")
    a_minute = 60 * submissions / took
    return [Measurement("grading, sandboxed, two input sets, one core", f"{a_minute:.0f} submissions a minute", "10", a_minute >= 10)]


MEASUREMENTS: dict[str, Callable[[], list[Measurement]]] = {"weight": weight, "replay": replay, "site": site, "drawing": drawing, "grading": grading}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the course against its budgets.")
    parser.add_argument("names", nargs="*", choices=[[], *MEASUREMENTS], help="which measurements (default: all)")
    names = parser.parse_args().names or list(MEASUREMENTS)
    missed = 0
    print("| what | measured | budget | met |\n|---|---|---|---|", flush=True)
    for name in names:
        for line in MEASUREMENTS[name]():
            missed += line.met is False
            print(f"| {line.what} | {line.measured} | {line.budget} | {'yes' if line.met else 'NO'} |", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
