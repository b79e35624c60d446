"""A real JupyterLab for the tests: started on a free port, driven through a browser as a reader would."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect

START_SECONDS = 90
RUN_SECONDS = 120


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def jupyterlab(root: Path, scratch: Path) -> Iterator[str]:
    """Serve `root` with JupyterLab until the block ends; yield its address, token included, as a format for `{path}`.

    `scratch` holds the server's settings and runtime files, so that nothing is read from or left in the home directory.
    """
    port, token = _free_port(), secrets.token_hex(16)
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(scratch / "config"),
        "JUPYTER_DATA_DIR": str(scratch / "data"),
        "JUPYTER_RUNTIME_DIR": str(scratch / "runtime"),
        "JUPYTERLAB_SETTINGS_DIR": str(scratch / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(scratch / "workspaces"),
        "IPYTHONDIR": str(scratch / "ipython"),
    }
    log_path = scratch / "jupyterlab.log"
    news = scratch / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    news.parent.mkdir(parents=True)
    news.write_text('{"fetchNews": "false", "checkForUpdates": false}', encoding="utf-8")  # no question box over the page
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
        "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={root}",
    ]  # fmt: skip
    with log_path.open("w", encoding="utf-8") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            deadline = time.monotonic() + START_SECONDS
            while True:
                if server.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"JupyterLab did not start:\n{log_path.read_text(encoding='utf-8')[-2000:]}")
                try:
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status?token={token}", timeout=2) as answer:
                        json.load(answer)
                    break
                except (urllib.error.URLError, ConnectionError, TimeoutError):
                    time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/lab/tree/{{path}}?token={token}&reset"
        finally:
            server.terminate()  # JupyterLab ends its kernels itself
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def open_notebook(page: Page, address: str, path: str) -> None:
    """Open a notebook and wait until its kernel is started, connected to the page, and idle.

    The page shows "idle" before there is a kernel, and then asks for one when a cell is run; the server knows better.
    """
    page.goto(address.format(path=path), timeout=60_000)
    page.wait_for_selector(".jp-Notebook", timeout=60_000)
    sessions = address.format(path="").replace("/lab/tree/", "/api/sessions").removesuffix("&reset")
    deadline = time.monotonic() + START_SECONDS
    while True:
        kernels = [session["kernel"] for session in page.request.get(sessions).json() if session["path"] == path]
        if any(kernel["execution_state"] == "idle" and kernel["connections"] for kernel in kernels):
            break
        if time.monotonic() > deadline:
            raise TimeoutError(f"the kernel of {path} did not start: {kernels}")
        page.wait_for_timeout(200)
    expect(page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').first).to_be_attached(timeout=60_000)


def choose(page: Page, menu: str, entry: str) -> None:
    """Choose an entry of a menu in the menu bar."""
    page.locator(".lm-MenuBar-itemLabel", has_text=menu).first.click()
    page.locator(".lm-Menu-itemLabel", has_text=entry).first.click()


def run_all(page: Page, path: Path) -> None:
    """Run > Run All Cells, then save until the file at `path` shows that every code cell has run.

    The notebook's own busy light is no sign: it can go on and off between two looks.
    """
    choose(page, "Run", "Run All Cells")
    deadline = time.monotonic() + RUN_SECONDS
    while True:
        page.keyboard.press("Control+s")
        page.wait_for_timeout(500)
        try:
            cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
            waiting = [cell["id"] for cell in cells if cell["cell_type"] == "code" and not cell["execution_count"]]
        except json.JSONDecodeError:
            waiting = ["(the file is being saved)"]
        if not waiting:
            return
        if time.monotonic() > deadline:
            raise TimeoutError(f"after {RUN_SECONDS} s these cells have not run: {waiting}")
