"""Copies of the project for tests that break something on purpose."""

from __future__ import annotations

import shutil
from pathlib import Path

from notebooks import ROOT

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".cache", "_build", "__pycache__", ".pytest_cache", ".ipynb_checkpoints", "*.part")


def copy_project(target: Path) -> Path:
    """Copy the project's own files, without the environment and anything built, and return the copy's folder."""
    shutil.copytree(ROOT, target, ignore=LEFT_OUT)
    return target
