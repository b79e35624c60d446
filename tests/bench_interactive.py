"""How fast the page resamples, beside NumPy on the same machine in the same run.

    python tests/bench_interactive.py
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy
from playwright.sync_api import Browser, Locator, Page, sync_playwright

import browser as chromium
from elements import BOOTSTRAP, MARKUP, RESULTS, write_page

# One full run through the element's own button: from the click to the finished page, in milliseconds.
PRESS = """async lab => {
  await new Promise(resolve => setTimeout(resolve));      // leave the task in which the test's own message arrived
  const buttons = [...lab.querySelectorAll(".buttons button")];
  buttons.find(button => button.textContent === "Start again").click();
  const settled = new Promise(resolve => lab.addEventListener("settled", resolve, {once: true}));
  const start = performance.now();
  buttons.find(button => button.textContent.startsWith("Draw all")).click();
  await settled;
  return performance.now() - start;
}"""


def numpy_loop() -> float:
    """The chapter's loop over 10,000 resamples of 20: milliseconds."""
    results = numpy.array(RESULTS, dtype=float)
    start = time.perf_counter()
    random_generator = numpy.random.default_rng(BOOTSTRAP["seed"])
    scores = []
    for _ in range(BOOTSTRAP["resamples"]):
        resample = random_generator.choice(results, size=len(results), replace=True)
        scores.append(resample.mean())
    assert len(scores) == BOOTSTRAP["resamples"]
    return 1000 * (time.perf_counter() - start)


def open_lab(page: Page, folder: Path, name: str) -> Locator:
    """Open a plain page with a simulation and wait, as a reader does, until the page is at rest."""
    page.goto(write_page(folder, MARKUP[name]))
    page.wait_for_timeout(1500)
    return page.locator(name)


# The slider's move to 480 questions, from the key to the finished page. The run for 30, its measure, comes before.
SLIDE = """async lab => {
  await new Promise(resolve => setTimeout(resolve));
  const slider = lab.querySelector("input[type=range]");
  const moveTo = place => new Promise(resolve => {
    lab.addEventListener("settled", () => resolve(), {once: true});
    slider.value = place;
    slider.dispatchEvent(new Event("input"));
  });
  await moveTo(0);
  const start = performance.now();
  await moveTo(4);
  return performance.now() - start;
}"""


def speed(browser: Browser, folder: Path, rounds: int = 7) -> dict[str, float]:
    """Measure, alternating between the two: the best of some rounds each, in milliseconds, and their ratio.

    `first_press` is the page's very first run, before the browser has seen the button pressed.
    """
    page = browser.new_page()
    lab = open_lab(page, folder, "resample-lab")
    first = lab.evaluate(PRESS)
    loops, presses = [], []
    for _ in range(rounds):
        loops.append(numpy_loop())
        presses.append(lab.evaluate(PRESS))
    of_480 = min(open_lab(page, folder, "set-size-lab").evaluate(SLIDE) for _ in range(3))
    page.close()
    return {
        "numpy_loop": min(loops),
        "first_press": first,
        "press": min(presses),
        "ratio": min(loops) / min(presses),
        "slide_480": of_480,
    }


def longest_task(browser: Browser, folder: Path, name: str, act: str) -> float:
    """The longest task on the page's main thread during a full run (PRESS or SLIDE), in milliseconds of processor time.

    Processor time, from the browser's own trace, so that a busy machine does not count as a blocked page.
    """
    page = browser.new_page()
    lab = open_lab(page, folder, name)
    browser.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
    lab.evaluate(act)
    events = json.loads(browser.stop_tracing())["traceEvents"]
    page.close()
    main = {event["tid"] for event in events if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"}
    tasks = [event["tdur"] / 1000 for event in events if event["name"] in ("RunTask", "ThreadControllerImpl::RunTask") and event["tid"] in main and "tdur" in event]
    if not tasks:
        raise AssertionError("The trace holds no task of the page's main thread.")
    return max(tasks)


def main() -> None:
    with sync_playwright() as playwright, TemporaryDirectory() as folder:
        browser = chromium.launch(playwright)
        measured = speed(browser, Path(folder))
        print(f"10,000 resamples of 20: NumPy's loop {measured['numpy_loop']:.0f} ms, the page {measured['press']:.1f} ms: {measured['ratio']:.0f} times faster")
        print(f"the page's first press: {measured['first_press']:.1f} ms; 10,000 of 480: {measured['slide_480']:.0f} ms")
        for questions, name, act in ((20, "resample-lab", PRESS), (480, "set-size-lab", SLIDE)):
            longest = longest_task(browser, Path(folder), name, act)
            print(f"longest task of 10,000 resamples of {questions}: {longest:.1f} ms of processor time")
        browser.close()


if __name__ == "__main__":
    main()
