"""The charts keep to the palette, and the stored pictures are what the cells draw."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from notebooks import ROOT, page_name, page_notebooks, read_notebook
from tree import copy_project

# Five of the eight Okabe-Ito colours, and a neutral grey (which lies on the way from black to white).
PALETTE = {
    "blue": "#0072B2",
    "orange": "#E69F00",
    "green": "#009E73",
    "vermillion": "#D55E00",
    "sky_blue": "#56B4E9",
    "grey": "#999999",
}


def rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=float)


def pictures(path: Path) -> list[tuple[str, np.ndarray]]:
    """Return (cell id, pixels as height x width x 3 floats in 0..255) for each stored picture of a notebook."""
    found = []
    for cell in read_notebook(path).cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                image = Image.open(io.BytesIO(base64.b64decode(output.data["image/png"])))
                canvas = Image.new("RGBA", image.size, "white")
                canvas.alpha_composite(image.convert("RGBA"))
                found.append((cell.id, np.asarray(canvas.convert("RGB"), dtype=float)))
    return found


CHARTED = [path for path in page_notebooks() if pictures(path)]


def flat_pixels(pixels: np.ndarray) -> np.ndarray:
    """Return the distinct colours of pixels that equal their eight neighbours, that is, not the smoothed edges of shapes."""
    inner = pixels[1:-1, 1:-1]
    height, width = inner.shape[:2]
    codes = pixels @ np.array([65536, 256, 1])  # one number a colour, which is faster to compare
    same = np.ones((height, width), dtype=bool)
    for down in range(3):
        for right in range(3):
            same &= codes[down : down + height, right : right + width] == codes[1:-1, 1:-1]
    _, first = np.unique(codes[1:-1, 1:-1][same], return_index=True)
    return inner[same][first]


def is_allowed(colour: np.ndarray, tolerance: float = 3.0) -> bool:
    """Whether a colour is a palette colour, a tint of one (mixed with white), or between black and white."""
    if np.ptp(colour) <= tolerance:
        return True
    for name in PALETTE.values():
        reach = 255 - rgb(name)  # the way from white to the palette colour
        share = float(np.clip(((255 - colour) @ reach) / (reach @ reach), 0, 1))
        if np.abs(255 - share * reach - colour).max() <= tolerance:
            return True
    return False


@pytest.mark.parametrize("notebook", CHARTED, ids=page_name)
def test_only_palette_colours(notebook: Path):
    for cell, pixels in pictures(notebook):
        strange = [tuple(int(part) for part in colour) for colour in flat_pixels(pixels) if not is_allowed(colour)]
        assert not strange, f"{page_name(notebook)}, {cell}: these colours are no tint of the palette: {strange[:5]}"


def test_the_palette_test_can_fail():
    assert is_allowed(rgb("#E69F00")) and is_allowed(rgb("#999999")) and is_allowed(rgb("#F9E7BF"))
    assert not is_allowed(rgb("#FF0000")) and not is_allowed(rgb("#CC79A7"))


def test_setup_cell_and_style_file_agree():
    style = (ROOT / "lab" / "okabe_ito.mplstyle").read_text(encoding="utf-8")
    cycle = re.findall(r"'([0-9A-F]{6})'", style)
    assert {f"#{code}" for code in cycle} == set(PALETTE.values())
    for notebook in page_notebooks():
        for cell in read_notebook(notebook).cells:
            if cell.get("id") == "setup" and "pyplot" in cell.source:
                named = dict(re.findall(r'^(\w+) = "(#[0-9A-Fa-f]{6})"', cell.source, flags=re.M))
                strange = {name: code for name, code in named.items() if PALETTE.get(name) != code.upper()}
                assert named, f"{page_name(notebook)}: the setup cell names no colours"
                assert not strange, f"{page_name(notebook)}: the setup cell and the palette disagree about {strange}"
                assert "okabe_ito.mplstyle" in cell.source, f"{page_name(notebook)}: the setup cell does not use the chart style"


def record_again(copy: Path, *pages: str) -> None:
    """Record pages of the copy anew."""
    for page in pages:
        (copy / f"{page}.ipynb").unlink()
    run = subprocess.run([sys.executable, "tests/record.py", *(f"{page}.md" for page in pages)], cwd=copy, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.fixture(scope="module")
def recorded_again(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which every page with a chart has been recorded anew."""
    copy = copy_project(tmp_path_factory.mktemp("charts") / "copy")
    record_again(copy, *map(page_name, CHARTED))
    return copy


@pytest.mark.parametrize("notebook", CHARTED, ids=page_name)
def test_the_stored_charts_are_what_the_cells_draw(notebook: Path, recorded_again: Path):
    """Font rendering may differ by a shade between machines, so the pictures are compared with a tolerance."""
    stored, drawn = pictures(notebook), pictures(recorded_again / f"{page_name(notebook)}.ipynb")
    assert [cell for cell, _ in stored] == [cell for cell, _ in drawn]
    for (cell, before), (_, after) in zip(stored, drawn, strict=True):
        assert before.shape == after.shape, f"{cell}: the chart's size changed"
        assert np.abs(before - after).mean() < 1.0, f"{cell}: the stored chart is not the one the cell draws. Run: make record"


def test_recording_twice_gives_the_same_bytes(tmp_path: Path):
    """On the page with most charts, so that a recording without a change of the page is an empty difference."""
    page = page_name(max(CHARTED, key=lambda path: len(pictures(path))))
    copy = copy_project(tmp_path / "copy")
    recordings = []
    for _ in range(2):
        record_again(copy, page)
        recordings.append((copy / f"{page}.ipynb").read_bytes())
    assert recordings[0] == recordings[1]
