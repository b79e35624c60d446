"""Kernels that talk through files in a folder of their own, so that several can start at the same time.

jupyter_client looks for free TCP ports and starts the kernel, which takes them a moment later. Of kernels that start
together, two can be given the same port, and one of them dies. A file in a private folder is not given twice.
On Windows ZeroMQ has no such files, and kernels keep to TCP.
"""

from __future__ import annotations

import os
import shutil
import tempfile

from jupyter_client import AsyncKernelManager, KernelManager
from jupyter_client.connect import ConnectionFileMixin
from jupyter_client.localinterfaces import localhost
from traitlets import default


class OwnFolder(ConnectionFileMixin):
    """The part that the two kinds of kernel manager share."""

    _folder: str | None = None

    @default("transport")
    def _transport_by_system(self) -> str:
        return "ipc" if os.name == "posix" else "tcp"

    @default("ip")
    def _ip_in_own_folder(self) -> str:
        if self.transport != "ipc":
            return localhost()
        self._folder = tempfile.mkdtemp(prefix="kernel-")  # short: such a path may have about a hundred characters
        return os.path.join(self._folder, "s")

    def cleanup_ipc_files(self) -> None:
        super().cleanup_ipc_files()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


class FolderKernelManager(OwnFolder, KernelManager):
    """For nbval."""


class AsyncFolderKernelManager(OwnFolder, AsyncKernelManager):
    """For nbclient."""
