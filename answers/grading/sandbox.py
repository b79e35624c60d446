"""Where a student's code runs: bubblewrap around the kernel, limits inside it, and a watch from outside.

bubblewrap gives the kernel its own view of the machine: system folders and Python, read-only; a small private /tmp and
home; its own processes; no network. Nothing of the project, of other submissions or of the key is in that view.

The limits are set inside, after all rights are given up, because the limit on processes does not bind root. If the grader
runs as root, bubblewrap needs no user namespace, and each kernel gets a user id of its own, so that the kernels do not
share one count of processes. Otherwise the kernel has a user namespace of its own, which has its own count.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launcher.py")
STUB = Path(__file__).with_name("practice_stub.py")
HOME = "/home/student"

# Linux's range for users that exist only while a service runs.
FIRST_UID, UIDS = 61184, 4335

ENVIRONMENT = {
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "PYTHONNOUSERSITE": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    # One thread for linear algebra: more would each reserve memory and count as a process.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
}


class NoSandbox(Exception):
    """A sandbox cannot be made here. The message says why."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use."""

    cell_seconds: float = 10
    submission_seconds: float = 300
    output_bytes: int = 5_000_000  # of one cell, as the kernel sends it, charts included
    memory_bytes: int = (
        1_000_000_000  # of all its processes together, and again of what one process may reserve beyond its start
    )
    file_bytes: int = 16_000_000
    folder_bytes: int = 64_000_000
    processes: int = 64  # threads count; a kernel has about ten

    def resources(self) -> dict[str, int]:
        """The limits that the operating system keeps, by their names in the resource module."""
        return {
            "RLIMIT_AS": 2 * self.memory_bytes,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_NPROC": self.processes,
            "RLIMIT_NOFILE": 256,
            "RLIMIT_CORE": 0,
        }


def command(limits: Limits, folder: Path | None, connection_file: Path | None, lifeline: int | None) -> list[str]:
    """Return the command that starts a sandboxed kernel.

    `folder` holds the connection file and the kernel's sockets, and is all that inside and outside share. Without a
    connection file the command only checks the sandbox. `lifeline` is the reading end of a pipe that the command inherits;
    the kernel ends when the other end is closed. Raises NoSandbox if bubblewrap is not installed.
    """
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise NoSandbox("bubblewrap (the command bwrap) is not installed. On Debian and Ubuntu: sudo apt install bubblewrap")
    root = os.getuid() == 0
    order = {
        "uid": sandbox_uid() if root else None,
        "limits": limits.resources(),
        "connection_file": str(connection_file) if connection_file else None,
        "lifeline": lifeline,
    }
    size = str(limits.folder_bytes)
    return [
        bwrap,
        *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
        *(
            ("--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")
            if root
            else ("--unshare-user", "--disable-userns")
        ),
        *("--die-with-parent", "--new-session", "--hostname", "grading"),
        *(argument for path in visible() for argument in _show(path)),
        *("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"),
        *("--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"),
        *("--perms", "1777", "--size", size, "--tmpfs", "/tmp"),
        *("--perms", "0777", "--size", size, "--tmpfs", HOME),
        *("--ro-bind", str(STUB), f"{HOME}/practice_check.py"),
        *("--ro-bind", str(LAUNCHER), "/run/launcher.py"),
        *(("--bind", str(folder), str(folder)) if folder else ()),
        *("--remount-ro", "/", "--chdir", HOME, "--"),
        *(sys.executable, "/run/launcher.py", json.dumps(order)),
    ]


def sandbox_uid() -> int:
    """The user id that this process's kernels get when the grader is root."""
    return FIRST_UID + os.getpid() % UIDS


def visible() -> list[Path]:
    """Return what a sandboxed kernel sees of the machine: system folders, and this Python with its packages."""
    paths = [Path(name) for name in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")]
    paths = [path for path in paths if path.exists()]
    for prefix in (sys.base_prefix, sys.prefix, os.path.dirname(os.path.dirname(os.path.realpath(sys.executable)))):
        if not any(Path(prefix).is_relative_to(path) for path in paths):
            paths.append(Path(prefix))
    return paths


def _show(path: Path) -> list[str]:
    if path.is_symlink() and path.parent == Path("/"):  # /bin is a link to usr/bin on most systems
        return ["--symlink", os.readlink(path), str(path)]
    # A folder above it may be closed to others, as /root is; inside the sandbox it holds nothing else.
    above = [argument for parent in reversed(path.parents[:-1]) for argument in ("--dir", str(parent))]
    return [*above, "--ro-bind", str(path), str(path)]


def check(limits: Limits, secrets: list[Path]) -> None:
    """Make a sandbox and try from inside what it should forbid. Raises NoSandbox with the reason.

    `secrets` are files and folders that must not be visible inside.
    """
    if sys.platform != "linux":
        raise NoSandbox("sandboxes need Linux")
    for secret in secrets:
        for path in visible():
            if secret.resolve().is_relative_to(path.resolve()):
                raise NoSandbox(f"{secret} lies inside {path}, which the sandbox must show. Move it elsewhere")
    try:
        tried = subprocess.run(
            command(limits, None, None, None),
            env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise NoSandbox("bubblewrap did not answer within a minute") from None
    if tried.returncode:
        raise NoSandbox(
            f"bubblewrap is installed but does not hold here: {(tried.stdout + tried.stderr).strip()[:500]}"
        )


# --- Watching from outside --------------------------------------------------------------------------------------------


def descendants(pid: int) -> list[int]:
    """Return the running processes that a process has started, and theirs. Linux only; finished ones are left out."""
    found = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split():
                if is_running(int(child)):
                    found.append(int(child))
                found += descendants(int(child))
    except OSError:  # it ended while we looked
        pass
    return found


def is_running(pid: int) -> bool:
    """Whether a process is there and has not ended. Linux only."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in ("Z", "X")


def memory(pid: int) -> tuple[int, int]:
    """Return the bytes a process reserves and the bytes it really uses; zeros if it is gone."""
    try:
        reserved, used = Path(f"/proc/{pid}/statm").read_text().split()[:2]
    except OSError:
        return 0, 0
    page = os.sysconf("SC_PAGE_SIZE")
    return int(reserved) * page, int(used) * page


def remove(folder: Path) -> None:
    """Remove a folder that a student's code could write to: it may be deeper than Python can follow, or closed."""
    with contextlib.suppress(OSError, RecursionError):
        shutil.rmtree(folder)
    if folder.exists() and os.name == "posix":
        for words in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*words, folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


# --- Without a sandbox ------------------------------------------------------------------------------------------------

NOT_PROTECTED = (
    "Running without a sandbox. The notebook's code runs with your own rights: it can read your files and the key, change "
    "and delete files, use the network and leave processes behind. Only time, output and, on Linux, memory are limited. "
    "Do this with your own notebook, or on a machine that is thrown away afterwards."
)


def unprotected_command(limits: Limits, connection_file: Path, lifeline: int | None) -> list[str]:
    """Return the command that starts a kernel without a sandbox."""
    resources = limits.resources()
    resources.pop("RLIMIT_NPROC")  # it would count everything else that this user runs
    order = {
        "uid": None,
        "limits": resources if sys.platform == "linux" else {},
        "connection_file": str(connection_file),
        "lifeline": lifeline,
    }
    return [sys.executable, str(LAUNCHER), json.dumps(order)]


def unprotected_environment(home: Path) -> dict[str, str]:
    """Return the environment of a kernel without a sandbox: no tokens, no settings, its home in `home`."""
    kept = {
        name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "WINDIR", "COMSPEC", "PATHEXT") if name in os.environ
    }
    folders = dict.fromkeys(
        ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "TMPDIR", "IPYTHONDIR"), str(home)
    )
    return ENVIRONMENT | kept | folders
