"""A Chromium for the tests: the one on this machine, or Playwright's own, inside the project's folder.

    python tests/browser.py     says which browser the tests will use, and fetches one if there is none
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from playwright.sync_api import Browser, Playwright, sync_playwright

from notebooks import ROOT

# Where Playwright looks for a browser of its own, and puts one: inside the project, however the tests are started.
os.environ.setdefault("PLAYWRIGHT_BROWSERS_PATH", str(ROOT / ".cache" / "browsers"))

# Quiet flags: without them Chromium tries to reach its maker's servers on every start.
FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-sandbox",  # the tests open only this project's own pages; CI runs as root, where the sandbox cannot start
)
# Debian's headless shell is Chromium without its windows; a test starts in it three times as fast.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def system_browser() -> str | None:
    """Return the path of an installed Chromium or Chrome, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch(playwright: Playwright) -> Browser:
    """Start a headless browser. Raises Playwright's error if there is none; `make test` fetches one."""
    return playwright.chromium.launch(executable_path=system_browser(), args=list(FLAGS))


def main() -> int:
    if not system_browser():
        print("No Chromium or Chrome on this machine: fetching Playwright's own into .cache/browsers.", flush=True)
        if subprocess.run([sys.executable, "-m", "playwright", "install", "chromium-headless-shell"]).returncode:
            print("It could not be fetched. Install Chromium or Chrome, then run make test again.", file=sys.stderr)
            return 1
    try:
        with sync_playwright() as playwright:
            browser = launch(playwright)
            print(f"Browser tests use Chromium {browser.version}.")
            browser.close()
    except Exception as error:
        print(f"Chromium is there but does not start: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
