"""Draw the README's pictures from the built site and a small class's gradebook.

    python tests/screenshots.py     writes .github/screenshots/read.png, run.png, grade.png
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import browser as chromium
from jupyterlab import jupyterlab, open_notebook, run_all
from notebooks import ROOT
from tree import copy_project

TARGET = ROOT / ".github" / "screenshots"
SIZE = {"width": 1100, "height": 680}


def main() -> int:
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = Path(scratch)
        browser = chromium.launch(playwright)

        page = browser.new_page(viewport=SIZE)
        page.goto((ROOT / "_build" / "html" / "chapters" / "12-is-that-score-real.html").as_uri() + "#section-12-3")
        page.locator("#figure-wald-line").scroll_into_view_if_needed()
        page.wait_for_timeout(1000)
        page.screenshot(path=TARGET / "read.png")

        copy = copy_project(folder / "course")
        notebook = "chapters/12-is-that-score-real.ipynb"
        page = browser.new_page(viewport=SIZE)
        with jupyterlab(copy, folder / "lab") as address:
            open_notebook(page, address, notebook)
            run_all(page, copy / notebook)
            page.locator(".jp-OutputArea-output img").first.scroll_into_view_if_needed()
            page.wait_for_timeout(1000)
            page.screenshot(path=TARGET / "run.png")

        subprocess.run([sys.executable, ROOT / "tests" / "make_submissions.py", folder / "class", "--class", "12"], check=True)
        subprocess.run([sys.executable, "-m", "answers.grading", folder / "class", "--out", folder / "grades"], cwd=ROOT, check=True)
        page = browser.new_page(viewport=SIZE)
        page.goto((folder / "grades" / "gradebook.html").as_uri())
        page.screenshot(path=TARGET / "grade.png")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
