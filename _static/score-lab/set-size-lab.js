/* <set-size-lab results="1,1,0,..." seed="0" resamples="10000" multiples="1,2,4,8,16">fallback</set-size-lab>
 *
 * Top: resamples of one set, by numpy.random.default_rng(seed).integers(0, n, size=n). Bottom: the same answers copied
 * a number of times, each size with a fresh generator of the same seed, and the interval narrowing as 1 / sqrt(n).
 * Fires "settled" on itself whenever a press of a button, or a move of the slider, has been carried out.
 */
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  if (!document.querySelector("set-size-lab")) return;
  const {
    html, svg, freshId, setText, fillHost, labelled, table, grouped, decimal, times, axis, label, onResize, Resampling,
    Histogram, Strip, Simulation, warmUp,
  } = scoreLab;
  const share = (right, questions) => decimal(right / questions, 4);
  const range = (low, high, questions) => `${share(low, questions)} to ${share(high, questions)}`;

  /** "16 (3 times); 0, 1 and 8 (twice)": the items drawn more than once, the most frequent first. */
  function repeats(drawn) {
    const groups = [...new Set(drawn)].filter((count) => count > 1).sort((a, b) => b - a);
    return groups.map((count) => {
      const items = drawn.flatMap((number, item) => (number === count ? [item] : []));
      return `${listed(items)} (${times(count)})`;
    }).join("; ");
  }

  function listed(items) {
    return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
  }

  class SetSizeLab extends Simulation {
    connectedCallback() {
      if (this.results) return;
      const multiples = (this.getAttribute("multiples") ?? "").split(",").map(Number);
      if (multiples[0] !== 1 || !multiples.every((multiple) => Number.isInteger(multiple) && multiple > 0)) {
        throw new Error("<set-size-lab>: multiples must be whole numbers with commas between them, beginning with 1");
      }
      this.read();
      this.multiples = multiples;
      this.sizes = new Map();                 // multiple -> its Resampling, once it has been drawn in full
      this.status = html("p", { role: "status", class: "score-lab-spoken" });     // speaks for both halves
      const parts = [...this.buildTop(), ...this.buildBottom(), this.status];
      this.startAgain("");
      this.showSizes("");
      fillHost(this, `One set of ${this.results.length}, resampled`, ...parts);
      warmUp(this);
    }

    // ---- Top: one set, resampled

    buildTop() {
      this.strip = new Strip(this.results, "item", 0);
      this.histogram = new Histogram({ axis: "accuracy of a resample", score: share, range, tick: (part) => decimal(part, 2) });
      this.sentence = html("p", { class: "result" });
      this.indices = html("p", { class: "indices" });
      this.repeats = html("p", { class: "note" });
      return [
        this.strip.node,
        this.buttons([[1, "Draw one"], [100, "Draw a hundred"], [this.limit, `Draw all ${grouped(this.limit)}`]]),
        this.sentence,
        this.indices,
        this.repeats,
        this.histogram.node,
        this.readOuts({ last: "last accuracy", total: "resamples", mean: "mean", interval: "95 percent interval", width: "width" }),
      ];
    }

    say(text) {
      setText(this.sentence, text);
      setText(this.status, text);
    }

    summary(start) {
      const { resampling } = this, { questions } = resampling;
      if (!this.hasInterval) {
        return `${start} The last one: ${resampling.lastScore} of ${questions} right, accuracy ${share(resampling.lastScore, questions)}.`;
      }
      return `${start} 95 percent of them lie from ${range(...resampling.interval, questions)}.`;
    }

    show(resampling) {
      const { values, hasInterval } = this, { total, questions } = resampling;
      if (total) {
        const drawn = resampling.timesDrawn(), never = drawn.flatMap((count, item) => (count ? [] : [item]));
        this.indices.replaceChildren(`Draw ${grouped(total)}: `, ...[...resampling.last].flatMap((item, place) =>
          [place ? ", " : "", drawn[item] > 1 ? html("strong", {}, String(item)) : String(item)]));
        setText(this.repeats, `Repeated: ${repeats(drawn) || "none"}. Never drawn: ${listed(never) || "none"}.`);
      } else {
        setText(this.indices, `Each draw picks ${questions} of the numbers 0 to ${questions - 1}, and may pick one again.`);
        setText(this.repeats, "");
      }
      const [low, high] = hasInterval ? resampling.interval : [];
      setText(values.last, total ? share(resampling.lastScore, questions) : "–");
      setText(values.total, grouped(total));
      setText(values.mean, total ? decimal(resampling.mean, 4) : "–");
      setText(values.interval, hasInterval ? `[${share(low, questions)}, ${share(high, questions)}]` : this.noInterval);
      setText(values.width, hasInterval ? share(high - low, questions) : "–");
    }

    // ---- Bottom: the same answers, copied

    buildBottom() {
      const { length } = this.results;
      const warning = html("p", { class: "note", id: freshId() },
        `Copying the ${length} answers adds no evidence. It only shows what a larger set would give if it scored the same.`);
      const copies = labelled("Copies of the set", {
        type: "range", min: 0, max: this.multiples.length - 1, step: 1, value: 0, "aria-describedby": warning.id,
        oninput: () => this.resize(),
      });
      this.slider = copies.input;
      this.size = html("p");
      this.sizeSentence = html("p", { class: "result" });
      this.bars = svg("svg", { class: "score-lab-sizes", "aria-hidden": "true" });          // the table says it all
      onResize(this.bars, () => this.drawBars());
      this.table = table(["n", "low", "high", "width", "times narrower"],
        html("caption", {}, `95 percent intervals, ${grouped(this.limit)} resamples each, and their width beside n = ${length}`));
      return [
        html("p", { class: "title second" }, "The same score from a larger set"),
        warning, copies.node, this.size, this.sizeSentence, this.bars, this.table.node,
      ];
    }

    get multiple() {
      return this.multiples[this.slider.value];
    }

    async resize() {
      const { multiple } = this;
      this.showSizes("");
      for (const needed of [1, multiple]) {
        if (this.sizes.has(needed)) continue;
        const resampling = new Resampling(Array(needed).fill(this.results).flat(), this.seed);
        if (this.sizing) this.sizing.stopped = true;
        this.sizing = resampling;
        await resampling.drawUntil(this.limit);
        if (resampling.stopped) return;                      // the slider has moved on
        this.sizes.set(needed, resampling);
      }
      const { questions, interval: [low, high] } = this.sizes.get(multiple);
      this.showSizes(`n = ${questions}: from ${range(low, high, questions)}, `
        + `width ${share(high - low, questions)}${multiple === 1 ? "" : `, ${this.narrower(multiple)} times narrower than n = ${this.results.length}`}.`);
      this.dispatchEvent(new Event("settled"));
    }

    width(multiple) {
      const { questions, interval: [low, high] } = this.sizes.get(multiple);
      return (high - low) / questions;
    }

    narrower(multiple) {
      return decimal(this.width(1) / this.width(multiple), 2);
    }

    showSizes(text) {
      const { multiple, multiples, sizes } = this, { length } = this.results;
      setText(this.size, `n = ${multiple} × ${length} = ${multiple * length}`);
      this.slider.setAttribute("aria-valuetext", `${multiple === 1 ? "1 copy" : `${multiple} copies`}, n = ${multiple * length}`);
      setText(this.sizeSentence, text || "Move the slider: each size is resampled as you reach it.");
      setText(this.status, text);
      const done = multiples.filter((each) => sizes.has(each));
      this.table.setRows(done.length ? done.map((each) => {
        const { questions, interval: [low, high] } = sizes.get(each);
        return [String(questions), share(low, questions), share(high, questions), share(high - low, questions), this.narrower(each)];
      }) : [[String(length), "–", "–", "–", "–"]]);
      this.table.body.children[done.indexOf(multiple)]?.classList.add("current");
      this.drawBars();
    }

    /** The intervals drawn so far on one axis from 0 to 1; the table below holds the same numbers. */
    drawBars() {
      const width = this.bars.clientWidth;
      if (!width) return;
      const left = 62, right = 14, top = 22, row = 26, floor = top + row * this.multiples.length;
      const { length } = this.results, measured = this.measured / length;
      const x = (part) => left + part * (width - left - right);
      this.bars.setAttribute("viewBox", `0 0 ${width} ${floor + 26}`);
      this.bars.setAttribute("height", floor + 26);
      this.bars.replaceChildren(
        axis(x, floor, x(0), x(1), (part) => decimal(part, 2)),
        ...this.multiples.flatMap((multiple, i) => {
          const y = top + row * (i + 0.5), state = multiple === this.multiple ? "current" : "other";
          const name = svg("text", { class: `name ${state}`, x: left - 8, y: y + 4 }, `n = ${multiple * length}`);
          if (!this.sizes.has(multiple)) return [name];
          const { questions, interval } = this.sizes.get(multiple), [low, high] = interval.map((end) => x(end / questions));
          return [name, svg("rect", { class: `interval ${state}`, x: low, width: high - low, y: y - 6, height: 12 })];
        }),
        svg("line", { class: "measured", x1: x(measured), x2: x(measured), y1: top - 4, y2: floor }),
        label(`measured ${decimal(measured, 4)}`, x(measured), top - 9, width));
    }
  }

  customElements.define("set-size-lab", SetSizeLab);
});
