"""Replay the notebooks with the oldest and the newest NumPy, on each Python that is installed.

    python tests/versions.py                 every combination below whose Python is found
    python tests/versions.py 3.11-oldest     one of them

The environments lie in .cache/versions and are made once. The exit status is 1 if a replay fails or no Python was found.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys

from notebooks import PAGE_FOLDERS, ROOT

# name: (Python, what to install). matplotlib and scipy follow NumPy; the replay compares text, not pixels.
COMBINATIONS = {
    "3.11-oldest": ("3.11", ["numpy==1.26.4"]),
    "3.12-newest": ("3.12", ["numpy"]),
    "3.13-newest": ("3.13", ["numpy"]),
}
NEEDED = ["matplotlib", "scipy", "statsmodels", "pytest", "pytest-xdist", "nbval", "ipykernel", "jupytext", "nbclient"]


def find_python(version: str) -> str | None:
    """Return a working interpreter of this version, or None. A version manager's shim may be there and not work."""
    for name in (f"python{version}", "python3", sys.executable):
        path = shutil.which(name)
        if not path:
            continue
        asked = subprocess.run([path, "-c", "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)"], capture_output=True, text=True)
        if asked.returncode == 0 and asked.stdout.split()[0] == version:
            return asked.stdout.split(maxsplit=1)[1].strip()
    return None


def replay(name: str, version: str, packages: list[str]) -> bool | None:
    """Replay every notebook in the environment of one combination. Returns None if this Python is not installed."""
    interpreter = find_python(version)
    if interpreter is None:
        print(f"{name}: Python {version} is not installed here; not tried.", flush=True)
        return None
    folder = ROOT / ".cache" / "versions" / name
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    wanted, ready = "\n".join([*packages, *NEEDED]), folder / "ready"
    if not ready.exists() or ready.read_text(encoding="utf-8") != wanted:
        print(f"{name}: making its environment.", flush=True)
        subprocess.run([interpreter, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages, *NEEDED], check=True)
        ready.write_text(wanted, encoding="utf-8")
    said = subprocess.run([python, "-c", "import numpy; print(numpy.__version__)"], capture_output=True, text=True, check=True)
    print(f"{name}: replaying with Python {version} and NumPy {said.stdout.strip()}.", flush=True)
    return subprocess.run([python, "-m", "pytest", "-q", "--numprocesses", "auto", "-p", "no:cacheprovider", *PAGE_FOLDERS], cwd=ROOT).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Replay the notebooks with other versions of Python and NumPy.")
    parser.add_argument("names", nargs="*", choices=[[], *COMBINATIONS], help="which combinations (default: all)")
    names = parser.parse_args().names or list(COMBINATIONS)
    outcomes = {name: replay(name, *COMBINATIONS[name]) for name in names}
    for name, passed in outcomes.items():
        print(f"{name}: " + {True: "the same outputs", False: "DIFFERENT", None: "not tried"}[passed])
    return 0 if any(outcomes.values()) and False not in outcomes.values() else 1


if __name__ == "__main__":
    sys.exit(main())
