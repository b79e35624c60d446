"""The sandbox: what it stops, how fast, and what happens where none can be made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import make_submissions
from answers.grading import sandbox
from answers.grading.kernel import Stopped, WatchedKernel
from answers.grading.sandbox import Limits, NoSandbox
from grading import command, grade, processes
from notebooks import ROOT


# The sandbox is bubblewrap, a Linux program. Elsewhere the grader works with --no-sandbox only.
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="grading in a sandbox needs Linux (bubblewrap)")


@pytest.fixture
def kernel(tmp_path: Path):
    """A sandboxed kernel with a limit of three seconds a cell."""
    kernel = WatchedKernel(Limits(cell_seconds=3), True, tmp_path)
    yield kernel
    kernel.stop()


def run(kernel: WatchedKernel, source: str) -> float:
    """Run a cell that must be stopped; return how long that took."""
    began = time.monotonic()
    with pytest.raises(Stopped):
        kernel.await_reply(kernel.execute_cell_input(source, allow_stdin=False))
    assert not kernel.is_alive()
    return time.monotonic() - began


def test_a_dead_kernel_is_noticed_within_two_seconds(kernel: WatchedKernel):
    assert run(kernel, "import os\nos._exit(0)") < 2


def test_a_loop_that_ignores_interrupts_costs_its_limit(kernel: WatchedKernel):
    source = "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"
    assert 3 <= run(kernel, source) < 5


def test_stopping_ends_every_process(kernel: WatchedKernel):
    source = "import subprocess\nfor turn in range(5): subprocess.Popen(['sleep', '3000'], start_new_session=True)\nwhile True: pass"
    outer = kernel._process.pid
    request = kernel.execute_cell_input(source, allow_stdin=False)
    deadline = time.monotonic() + 2.5
    while len(started := sandbox.descendants(outer)) < 7:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    with pytest.raises(Stopped):
        kernel.await_reply(request)
    assert [pid for pid in started if sandbox.is_running(pid)] == []


def test_no_folder_is_too_deep_or_too_closed_to_be_removed(kernel: WatchedKernel):
    """What is left would stop every later run, which clears away what earlier ones have left."""
    source = (
        "import os\nfrom ipykernel.connect import get_connection_file\nos.chdir(os.path.dirname(get_connection_file()))\n"
        "os.makedirs('closed/below')\nos.chmod('closed', 0)\n"
        "for turn in range(3000):\n    os.mkdir('d')\n    os.chdir('d')\nos.chdir('/tmp')"
    )
    run(kernel, source)
    assert not kernel._folder.exists()


@pytest.mark.parametrize("moment", [0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.2, 1])
@pytest.mark.parametrize("sandboxed", [True, False])
def test_a_grader_that_is_killed_takes_its_kernel_along(sandboxed: bool, moment: float, tmp_path: Path):
    """At any moment, also before bubblewrap has asked to be ended with its parent."""
    script = (
        "import subprocess, sys, threading, os, signal, time\nfrom pathlib import Path\n"
        "from answers.grading import kernel, sandbox\n"
        "start = subprocess.Popen\n"
        "def popen(*words, **more):\n"
        "    started = start(*words, **more)\n"
        "    print(os.getpid(), flush=True)\n"
        "    if MOMENT == 0: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    threading.Timer(MOMENT, os.kill, (os.getpid(), signal.SIGKILL)).start()\n"
        "    return started\n"
        "kernel.subprocess.Popen = popen\n"
        "kernel.WatchedKernel(sandbox.Limits(), SANDBOXED, Path(HOME))\n"
        "time.sleep(60)\n"
    )
    script = (
        script.replace("MOMENT", str(moment)).replace("SANDBOXED", str(sandboxed)).replace("HOME", repr(str(tmp_path)))
    )
    killed = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert killed.returncode == -9, killed.stderr
    deadline = time.monotonic() + 30
    while left := processes(f"answers.grading-{int(killed.stdout)}-"):  # bubblewrap and the kernel name their folder
        assert time.monotonic() < deadline, f"the kernel outlives its grader: {left}"
        time.sleep(0.02)


# --- Where no sandbox can be made -------------------------------------------------------------------------------------


def path_without_bwrap(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "bin").mkdir()
    return os.environ | {"PATH": str(tmp_path / "bin")}


def test_without_bubblewrap_it_refuses(tmp_path: Path):
    finished = grade("chapters/12-practice.ipynb", "--out", tmp_path / "grades", env=path_without_bwrap(tmp_path))
    assert finished.returncode == 3
    assert (
        "no sandbox can be made here" in finished.stderr
        and "bwrap" in finished.stderr
        and "--no-sandbox" in finished.stderr
    )
    assert not (tmp_path / "grades").exists()


def test_where_bubblewrap_does_not_hold_it_refuses(tmp_path: Path):
    """As in a plain container: the command is there, and the system does not let it make namespaces."""
    environment = path_without_bwrap(tmp_path)
    fake = tmp_path / "bin" / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: Creating new namespace failed: Operation not permitted' >&2\nexit 1\n")
    fake.chmod(0o755)
    finished = grade("chapters/12-practice.ipynb", "--out", tmp_path / "grades", env=environment)
    assert finished.returncode == 3
    assert "Operation not permitted" in finished.stderr
    assert not (tmp_path / "grades").exists()


def test_a_bubblewrap_that_isolates_nothing_is_found_out(tmp_path: Path):
    """The check tries from inside what the sandbox should forbid; it does not believe the command."""
    environment = path_without_bwrap(tmp_path)
    fake = tmp_path / "bin" / "bwrap"
    fake.write_text(
        f"#!{sys.executable}\nimport os, sys\nfrom pathlib import Path\nend = len(sys.argv) - 1 - sys.argv[::-1].index('--')\n"
        f"program = sys.argv[end + 1:]\nprogram[1] = {str(sandbox.LAUNCHER)!r}\nos.execv(program[0], program)\n"
    )
    fake.chmod(0o755)
    finished = grade("chapters/12-practice.ipynb", "--out", tmp_path / "grades", env=environment)
    assert finished.returncode == 3
    assert "does not hold here" in finished.stderr


def test_no_sandbox_grades_and_says_what_is_not_protected(tmp_path: Path):
    notebook = tmp_path / "mine.ipynb"
    notebook.write_bytes(make_submissions.notebook(make_submissions.answered()))
    finished = grade(notebook, "--no-sandbox", "--out", tmp_path / "grades", env=path_without_bwrap(tmp_path))
    assert finished.returncode == 0, finished.stderr
    assert "22 of 22 problems right" in finished.stdout
    for words in ("without a sandbox", "read your files and the key", "use the network", "leave processes behind"):
        assert words in finished.stderr


def test_no_sandbox_still_stops_what_hangs_or_dies(tmp_path: Path):
    cells = make_submissions.answered()
    for number, source in {3: "import os\nos._exit(1)", 6: "while True:\n    pass"}.items():
        cells[make_submissions.at(cells, number)]["source"] = f"# Problem {number:02d}\n{source}"
    notebook = tmp_path / "mine.ipynb"
    notebook.write_bytes(make_submissions.notebook(cells))
    finished = grade(notebook, "--no-sandbox", "--cell-seconds", 2, "--out", tmp_path / "grades")
    assert finished.returncode == 0, finished.stderr
    assert "20 of 22 problems right" in finished.stdout


def test_a_key_inside_what_the_sandbox_shows_is_refused(tmp_path: Path):
    with pytest.raises(NoSandbox, match="Move it elsewhere"):
        sandbox.check(Limits(), [Path(sys.prefix) / "key"])


if sys.platform == "linux" and os.getuid() == 0:  # otherwise every test above has been run by an ordinary user

    def test_an_ordinary_user_can_grade_in_a_sandbox(tmp_path: Path):
        """As root the kernels get no user namespace, as anyone else they do: here the grader runs as user 1000.

        Root's home is closed to others and Python may live there, so an outer bubblewrap shows it open.
        """
        notebook = tmp_path / "mine.ipynb"
        cells = make_submissions.answered()
        cells[make_submissions.at(cells, 6)]["source"] = (
            "# Problem 06\nimport os\nfor turn in range(1000):\n    os.fork()"
        )
        notebook.write_bytes(make_submissions.notebook(cells))
        tmp_path.chmod(0o777)
        home = Path("/root")
        inside = [path for path in (Path(sys.base_prefix), Path(sys.prefix)) if path.is_relative_to(home)]
        outer = ["bwrap", "--dev-bind", "/", "/", "--perms", "0755", "--tmpfs", str(home)]
        for path in inside:
            outer += [
                word for parent in reversed(path.parents[:-2]) for word in ("--perms", "0755", "--dir", str(parent))
            ]
            outer += ["--ro-bind", str(path), str(path)]
        outer += [
            "--bind",
            str(tmp_path),
            "/mnt",
            "--chdir",
            str(ROOT),
            "--",
            shutil.which("setpriv"),
            "--reuid",
            "1000",
            "--regid",
            "1000",
            "--clear-groups",
        ]
        finished = subprocess.run(
            [*outer, *command("/mnt/mine.ipynb", "--out", "/mnt/grades")], capture_output=True, text=True, timeout=120,
            env=os.environ | {"HOME": "/tmp", "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        assert finished.returncode == 0, finished.stderr
        assert "21 of 22 problems right" in finished.stdout, finished.stdout
