"""The picture that chat programs and social networks show beside a link to the course.

    python _ext/social_card.py     draws _static/social-card.png again
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CARD = ROOT / "_static" / "social-card.png"
WIDTH, HEIGHT = 1200, 630  # pixels; the size that the large networks ask for

RIGHT, QUESTIONS = 5, 20
LOW, HIGH = 11.19, 46.87  # percent; the 95 percent score interval for 5 of 20, as in Chapter 12
ALTERNATIVE_TEXT = (
    "Is that score real? A model answered 5 of 20 questions. On a line from 0 to 100 percent a point marks the score, "
    "25 percent, and a wide bar marks its 95 percent score interval, from 11.19 to 46.87 percent."
)


def draw(target: Path = CARD) -> None:
    """Draw the card and write it as a PNG of 1200 by 630 pixels; `target` is replaced in one step."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    pyplot.style.use(ROOT / "lab" / "okabe_ito.mplstyle")
    figure, axes = pyplot.subplots(figsize=(WIDTH / 100, HEIGHT / 100), dpi=100)
    figure.subplots_adjust(left=0.07, right=0.93, bottom=0.17, top=0.52)
    figure.text(0.07, 0.77, "Is that score real?", fontsize=58, fontweight="bold")
    figure.text(0.07, 0.65, f"A model answered {RIGHT} of {QUESTIONS} questions.", fontsize=27)

    score = 100 * RIGHT / QUESTIONS
    axes.barh(0, HIGH - LOW, left=LOW, height=0.34, color="#E69F00", edgecolor="black", linewidth=1.5)
    axes.plot(score, 0, "o", markersize=22, color="#D55E00", markeredgecolor="black", markeredgewidth=1.5)
    axes.text(score, 0.32, f"the score, {score:.0f} percent", fontsize=22, ha="center")
    axes.text(HIGH + 2, 0, f"95 percent interval:\n{LOW} to {HIGH} percent", fontsize=22, va="center")
    axes.set(xlim=(0, 100), ylim=(-0.4, 0.62), yticks=[], xticks=range(0, 101, 20))
    axes.set_xlabel("percent answered right", fontsize=20)
    axes.tick_params(axis="x", labelsize=20)
    axes.spines["left"].set_visible(False)

    part = target.with_name(target.name + ".part")
    # No date and no version in the file: the same picture is the same bytes.
    figure.savefig(part, format="png", dpi=100, metadata={"Software": None})
    pyplot.close(figure)
    os.replace(part, target)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit("usage: python _ext/social_card.py   (takes no arguments)")
    draw()
    print(f"Drawn: {CARD.relative_to(ROOT)}")
