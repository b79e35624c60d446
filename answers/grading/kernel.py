"""The kernel that nbval talks to: in the sandbox, and watched.

nbval waits out a cell's whole time on a kernel that has died, and then expects every later cell to fail. This kernel
notices within a fraction of a second that a cell died, ran too long, printed too much or took too much, stops, and
raises `Stopped`, so that exactly one cell is to blame.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Any

import zmq
from jupyter_client import BlockingKernelClient
from jupyter_client.connect import write_connection_file
from nbval.kernel import RunningKernel

from answers.grading import sandbox
from answers.grading.sandbox import Limits

# Where the folders with the kernels' sockets are: each is named after the process that made it. Nobody else's are named so.
PREFIX = "answers.grading-"
SHORT = "/tmp" if os.name == "posix" else tempfile.gettempdir()

START_SECONDS = 60
TICK_SECONDS = 0.2  # how often the kernel is looked at while a cell runs
LARGEST_MESSAGE = 6_000_000  # bytes; a larger one is never received, and the cell that sent it is stopped
WAITING_MESSAGES = 50


def remove_leftovers() -> None:
    """Remove the folders of graders that were killed before they could do it. Linux only."""
    for folder in Path(SHORT).glob(f"{PREFIX}*") if sys.platform == "linux" else ():
        maker = re.fullmatch(rf"{re.escape(PREFIX)}([0-9]+)-[a-z0-9_]+", folder.name)
        if maker and not sandbox.is_running(int(maker[1])):
            sandbox.remove(folder)


class KernelFailed(Exception):
    """The kernel did not start. Nothing the student wrote has run."""


class Stopped(Exception):
    """The kernel was stopped, or is gone, because of the cell that was running. The message completes "it ..."."""


class WatchedKernel(RunningKernel):
    """A kernel with the interface of nbval's RunningKernel.

    `sandboxed` False starts it without bubblewrap, in the folder `home`, with only those limits that hold there.
    Raises KernelFailed if it does not answer.
    """

    def __init__(self, limits: Limits, sandboxed: bool, home: Path) -> None:
        self.limits = limits
        self.reply_status = ""
        self._waiting: deque[dict[str, Any]] = deque()
        self._received = 0
        self._deadline = 0.0
        self._sandboxed = sandboxed
        self._linux = sys.platform == "linux"
        self._expected = 0  # processes of the kernel and of bubblewrap when no cell runs
        self._files: set[str] = set()  # its sockets
        # Short: the path of a Unix socket may have about 100 characters.
        self._folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=SHORT))
        self._context = zmq.Context()
        # Messages come from the student's code. None may fill this process's memory.
        self._context.setsockopt(zmq.MAXMSGSIZE, LARGEST_MESSAGE)
        self._context.setsockopt(zmq.RCVHWM, WAITING_MESSAGES)
        self._context.setsockopt(zmq.LINGER, 0)
        self._context.setsockopt(zmq.RECONNECT_IVL, 20)
        self._process: subprocess.Popen[bytes] | None = None
        self._lifeline: int | None = None  # the writing end of a pipe: the kernel ends when this process is gone
        try:
            self._start(home)
        except BaseException:
            self.stop()
            raise

    def _start(self, home: Path) -> None:
        file = self._folder / "c"
        transport: dict[str, Any] = {"transport": "ipc", "ip": str(self._folder / "k")} if os.name == "posix" else {}
        write_connection_file(str(file), key=secrets.token_hex(32).encode(), **transport)
        if self._sandboxed:
            if os.getuid() == 0:
                for path in (self._folder, file):
                    os.chown(path, sandbox.sandbox_uid(), sandbox.sandbox_uid())
            where: dict[str, Any] = {"env": sandbox.ENVIRONMENT, "cwd": "/"}
        else:
            where = {"env": sandbox.unprotected_environment(home), "cwd": home}
        reading = None
        if os.name == "posix":
            reading, self._lifeline = os.pipe()
            where |= {"pass_fds": [reading], "start_new_session": True}
        try:
            arguments = (
                sandbox.command(self.limits, self._folder, file, reading)
                if self._sandboxed
                else sandbox.unprotected_command(self.limits, file, reading)
            )
            quiet = subprocess.DEVNULL
            self._process = subprocess.Popen(arguments, stdin=quiet, stdout=quiet, stderr=quiet, **where)
        finally:
            if reading is not None:
                os.close(reading)
        self.kc = BlockingKernelClient(context=self._context)
        self.kc.load_connection_file(str(file))
        self.kc.start_channels(stdin=False, hb=False, control=False)
        # The kernel is ready when it answers on both channels: it is asked until it does.
        self._begin(START_SECONDS)
        try:
            while not self._answers():
                pass
        except Stopped:
            raise KernelFailed("The Python kernel did not start.") from None
        self._expected = len(sandbox.descendants(self._process.pid)) if self._linux else 0
        self._files = set(os.listdir(self._folder))

    def _answers(self) -> bool:
        try:
            self._await(self.kc.kernel_info(), "iopub", 0.3)
            return True
        except TimeoutError:
            self._look(idle=False)
            return False

    # --- What nbval calls -------------------------------------------------------------------------------------------

    def execute_cell_input(self, cell_input: str, allow_stdin: bool | None = None) -> str:
        self._begin(self.limits.cell_seconds)
        return super().execute_cell_input(cell_input, allow_stdin)

    def await_reply(self, msg_id: str, timeout: float | None = None) -> None:
        """Wait until a cell has ended. The time limit is this kernel's own, not `timeout`. Raises Stopped."""
        reply = self._await(msg_id, "shell", None)
        self.reply_status = str(reply["content"].get("status"))
        if "ask_exit" in str(reply["content"].get("payload")):  # exit() ends the kernel a moment after its cell
            raise self._stopped("ended the Python kernel")
        self._look(idle=True)

    def get_message(self, stream: str, timeout: float | None = None) -> dict[str, Any]:
        """Return the next message that the running cell has sent. Raises Stopped if none comes."""
        if not self._waiting:
            try:
                self._receive_any(timeout)
            except TimeoutError:
                # The cell has ended and its last messages are lost: one was too large, or the channel was closed.
                raise self._stopped("printed more than can be received, or cut its own connection") from None
        return self._waiting.popleft()

    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def interrupt(self) -> None:
        """Never needed: a cell that runs too long is stopped with its kernel."""

    def stop(self) -> None:
        """End the kernel and everything it has started, and remove its folder. Can be called again."""
        if self._process is not None:
            # In a sandbox this ends all its processes: they live in a process namespace that ends with its first one.
            below = sandbox.descendants(self._process.pid) if self._sandboxed else []
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL) if os.name == "posix" else self._process.kill()
            self._process.wait()
            until = time.monotonic() + 5
            while any(sandbox.is_running(pid) for pid in below) and time.monotonic() < until:
                time.sleep(0.01)
        self._process = None
        if self._lifeline is not None:
            os.close(self._lifeline)
        self._lifeline = None
        self._context.destroy(linger=0)
        sandbox.remove(self._folder)

    # --- Receiving and watching -------------------------------------------------------------------------------------

    def _begin(self, seconds: float) -> None:
        self._waiting.clear()
        self._received = 0
        self._deadline = time.monotonic() + seconds

    def _await(self, msg_id: str, stream: str, seconds: float | None) -> dict[str, Any]:
        """Wait for a cell's reply on shell, or its end on iopub, keeping what it prints meanwhile."""
        until = None if seconds is None else time.monotonic() + seconds
        looked = time.monotonic()
        while True:
            with contextlib.suppress(TimeoutError):
                for message in self._receive(TICK_SECONDS, shell=stream == "shell"):
                    if message["parent_header"].get("msg_id") == msg_id and (
                        message["msg_type"] == "execute_reply"
                        or (stream == "iopub" and message["content"].get("execution_state") == "idle")
                    ):
                        return message
            now = time.monotonic()
            if until is not None and now > until:
                raise TimeoutError
            if now > looked + TICK_SECONDS:
                looked = now
                self._look(idle=False)

    def _receive_any(self, timeout: float | None) -> None:
        until = time.monotonic() + (timeout or 0)
        while not self._waiting:
            if time.monotonic() > until:
                raise TimeoutError
            with contextlib.suppress(TimeoutError):
                self._receive(TICK_SECONDS, shell=False)
        self._look_at_output()

    def _receive(self, seconds: float, shell: bool) -> list[dict[str, Any]]:
        """Receive what has come, at most one message from each channel. Printed messages are kept for nbval."""
        channels = [self.kc.iopub_channel] + ([self.kc.shell_channel] if shell else [])
        poller = zmq.Poller()
        for channel in channels:
            poller.register(channel.socket, zmq.POLLIN)
        ready = dict(poller.poll(int(seconds * 1000)))
        if not ready:
            raise TimeoutError
        messages = []
        for channel in channels:
            if channel.socket not in ready:
                continue
            parts = channel.socket.recv_multipart()
            self._received += sum(map(len, parts))
            self._look_at_output()
            try:
                message = self.kc.session.deserialize(self.kc.session.feed_identities(parts)[1])
                message["parent_header"].get("msg_id")
            except Exception:  # the student's code can send anything, with a wrong signature or none
                raise self._stopped("sent messages that no kernel sends") from None
            messages.append(message)
            if channel is self.kc.iopub_channel:
                self._waiting.append(message)
        return messages

    def _look_at_output(self) -> None:
        if self._received > self.limits.output_bytes:
            raise self._stopped(f"printed more than {self.limits.output_bytes / 1e6:g} MB")
        if time.monotonic() > self._deadline:
            raise self._stopped(f"ran for more than {self.limits.cell_seconds:g} seconds")

    def _look(self, idle: bool) -> None:
        """Look at the kernel from outside. `idle`: its cell has ended, so nothing else should run."""
        if not self.is_alive():
            raise self._stopped("ended the Python kernel")
        self._look_at_output()
        if not self._linux or self._process is None:
            return
        running = sandbox.descendants(self._process.pid)
        if idle and len(running) > self._expected:
            raise self._stopped("left other processes running")
        if not self._sandboxed:
            running.append(self._process.pid)
        sizes = [sandbox.memory(pid) for pid in running]
        if sum(used for _, used in sizes) > self.limits.memory_bytes or (
            # What it has reserved without using it yet would be missing to the cells that follow.
            idle and max((reserved for reserved, _ in sizes), default=0) > 1.6 * self.limits.memory_bytes
        ):
            raise self._stopped(f"took more than {self.limits.memory_bytes / 1e9:g} GB of memory")
        if self._files and set(os.listdir(self._folder)) - self._files:
            raise self._stopped("wrote a file outside the notebook's folder")

    def _stopped(self, reason: str) -> Stopped:
        self.stop()
        return Stopped(reason)
