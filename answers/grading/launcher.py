"""Starts the kernel, inside the sandbox: gives up root, sets the limits, then becomes the kernel.

Runs as a script with one argument, a JSON object: `uid` (null: stay who we are), `limits` (resource name to value),
`connection_file` (null: only look whether the sandbox holds, and say so), `lifeline` (a file descriptor at whose end the
grader is gone, or null). Imports nothing of the project.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def give_up_root(uid: int) -> None:
    os.setgroups([])
    os.setgid(uid)
    os.setuid(uid)


def set_limits(limits: dict[str, int]) -> None:
    import resource

    for name, most in limits.items():
        which = getattr(resource, name)
        hard = resource.getrlimit(which)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (value, value))


def end_with_grader(lifeline: int) -> None:
    """End this process when the grader does, even if it is killed just as bubblewrap starts and has not noticed."""
    import threading

    def wait() -> None:
        os.read(lifeline, 1)  # nothing is ever written: it returns when the other end is closed
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def look_around(processes: int | None) -> list[str]:
    """Try what the sandbox should forbid. Returns what it allows, as sentences."""
    import signal
    import socket

    faults = []
    if os.getuid() == 0:
        faults.append("the student's code would run as root")
    if [name for _, name in socket.if_nameindex() if name != "lo"]:
        faults.append("the network can be reached")
    for folder in ("/", "/usr", os.path.dirname(os.path.abspath(__file__)), sys.prefix):
        if os.access(folder, os.W_OK):
            faults.append(f"{folder} can be written to")
    if os.path.exists("/proc/1/cmdline") and len([name for name in os.listdir("/proc") if name.isdigit()]) > 10:
        faults.append("other processes can be seen")
    if processes is not None:
        children: list[int] = []
        try:
            while len(children) <= processes:
                child = os.fork()
                if child == 0:
                    signal.pause()
                children.append(child)
            faults.append("the number of processes is not limited (this needs Linux 5.14 or newer)")
        except BlockingIOError:
            pass
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return faults


def main() -> int:
    order: dict[str, Any] = json.loads(sys.argv[1])
    if order["uid"] is not None:
        give_up_root(order["uid"])
    if order["limits"]:
        set_limits(order["limits"])
    if order["connection_file"] is None:
        faults = look_around(order["limits"].get("RLIMIT_NPROC"))
        print("; ".join(faults))
        return 1 if faults else 0

    if order["lifeline"] is not None:
        end_with_grader(order["lifeline"])
    sys.path.pop(0)  # this script's folder; the kernel adds the one it runs in
    from ipykernel.kernelapp import IPKernelApp

    IPKernelApp.launch_instance(
        ["-f", order["connection_file"], "--HistoryManager.enabled=False", "--IPKernelApp.log_level=ERROR"]
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
