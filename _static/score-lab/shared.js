/* What the interactive elements share: building nodes, the resampling itself, a histogram, a strip of questions.
 *
 * The scripts may load in any order: each element's file waits until the page has been parsed, and does nothing on a
 * page without that element.
 */
"use strict";
globalThis.scoreLab = (() => {
  // ---- Nodes

  const SVG = "http://www.w3.org/2000/svg";
  let idCount = 0;

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== false && value !== undefined) node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children);
    return node;
  }

  /** An HTML element: html("p", {class: "note"}, "text", child). Functions named on... become listeners. */
  function html(name, attributes = {}, ...children) {
    return fill(document.createElement(name), attributes, children);
  }

  /** The same for SVG. */
  function svg(name, attributes = {}, ...children) {
    return fill(document.createElementNS(SVG, name), attributes, children);
  }

  /** An id that no other element of the page has. */
  function freshId() {
    idCount += 1;
    return `score-lab-${idCount}`;
  }

  /** Set text only where it differs, so that nothing is spoken twice. */
  function setText(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  /** Make `host` a titled group of `children`, and keep what the author wrote inside it for print. */
  function fillHost(host, title, ...children) {
    const heading = html("p", { class: "title", id: freshId() }, title), fallback = html("div", { class: "score-lab-fallback" });
    host.setAttribute("role", "group");
    host.setAttribute("aria-labelledby", heading.id);
    fallback.append(...host.childNodes);
    host.append(html("div", { class: "score-lab" }, heading, ...children), fallback);
  }

  /** A label and its input: a text field or a slider under the label, a radio button or checkbox before it. */
  function labelled(text, attributes) {
    const input = html("input", { id: freshId(), ...attributes }), label = html("label", { for: input.id }, text);
    const boxed = attributes.type === "radio" || attributes.type === "checkbox";
    return { input, node: html("div", { class: boxed ? "choice" : "field" }, ...(boxed ? [input, label] : [label, input])) };
  }

  /** A table with one header cell in each row; setRows(rows) fills it. */
  function table(heads, ...caption) {
    const body = html("tbody");
    const node = html("table", {}, ...caption,
      html("thead", {}, html("tr", {}, ...heads.map((head) => html("th", { scope: "col" }, head)))), body);
    const setRows = (rows) => body.replaceChildren(...rows.map(([head, ...cells]) =>
      html("tr", {}, html("th", { scope: "row" }, head), ...cells.map((cell) => html("td", {}, cell)))));
    return { node, body, setRows };
  }

  // ---- Numbers

  /** 10000 as "10,000". */
  const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

  /** A number with fixed decimals, a real minus sign, and never a negative zero. */
  function decimal(number, digits) {
    const text = number.toFixed(digits);
    return Number(text) === 0 ? (0).toFixed(digits) : text.replace("-", "−");
  }

  /** part of whole in percent, exactly rounded half up: percent(5, 20, 1) is "25.0". */
  function percent(part, whole, digits) {
    const scale = 10 ** digits;
    return decimal(Math.floor((200 * scale * part + whole) / (2 * whole)) / scale, digits);
  }

  const times = (count) => (count === 1 ? "once" : count === 2 ? "twice" : `${count} times`);

  // ---- Resampling

  const SLICE = 6;             // milliseconds of work before the page gets its turn; a frame has 16
  const DRAWS_AT_A_TIME = 4096;

  /** Resamples of a list of right (1) and wrong (0) answers, counted by score. */
  class Resampling {
    /** @param {string} [seed] as for numpy.random.default_rng; fresh draws without it */
    constructor(results, seed) {
      this.results = Uint8Array.from(results);
      this.questions = results.length;
      this.measured = results.reduce((sum, result) => sum + result, 0);
      this.generator = numpyRandom.defaultRng(seed);
      this.total = 0;                                             // resamples so far
      this.counts = new Uint32Array(this.questions + 1);          // counts[k]: resamples with k right
      this.atATime = Math.max(1, Math.floor(DRAWS_AT_A_TIME / this.questions));
      this.buffer = new Uint32Array(this.atATime * this.questions);
      this.last = null;                                           // the indices of the latest resample
      this.stopped = false;
    }

    /** Draw `count` resamples at once. One long draw equals many short ones: the stream is the same. */
    draw(count) {
      const { results, questions, counts, buffer } = this;
      for (let left = count; left > 0; left -= this.atATime) {
        const indices = left < this.atATime ? buffer.subarray(0, left * questions) : buffer;
        this.generator.fill(indices, questions);
        for (let at = 0; at < indices.length;) {
          let right = 0;
          for (const end = at + questions; at < end; at++) right += results[indices[at]];
          counts[right] += 1;
        }
        this.last = indices.subarray(indices.length - questions);
      }
      this.total += count;
    }

    /** Draw until there are `total` resamples, in slices. */
    async drawUntil(total) {
      while (!this.stopped && this.total < total) {
        const end = performance.now() + SLICE;
        while (this.total < total && performance.now() < end) this.draw(Math.min(this.atATime, total - this.total));
        if (this.total < total) await new Promise((resume) => setTimeout(resume));
      }
    }

    /** How often the latest resample drew each question. */
    timesDrawn() {
      const drawn = new Array(this.questions).fill(0);
      for (const index of this.last ?? []) drawn[index] += 1;
      return drawn;
    }

    /** Right answers in the latest resample. */
    get lastScore() {
      return this.last.reduce((sum, index) => sum + this.results[index], 0);
    }

    get distinct() {
      return this.counts.reduce((sum, count) => sum + (count > 0), 0);
    }

    get mean() {
      return this.counts.reduce((sum, count, right) => sum + count * right, 0) / (this.total * this.questions);
    }

    /** With the divisor B, as in the chapter. Whole numbers to the end, so nothing is lost by subtracting. */
    get standardDeviation() {
      let sum = 0, squares = 0;
      this.counts.forEach((count, right) => { sum += count * right; squares += count * right * right; });
      return Math.sqrt(this.total * squares - sum * sum) / (this.total * this.questions);
    }

    /** The rank of a percentile given in thousandths: the smallest whole number that is enough. */
    rank(thousandths) {
      return Math.ceil(this.total * thousandths / 1000);
    }

    /** The right answers at a rank of the sorted resamples: numpy.percentile's "inverted_cdf". */
    atRank(rank) {
      let seen = 0;
      return this.counts.findIndex((count) => (seen += count) >= rank);
    }

    /** The percentile interval in right answers: [low, high]. */
    get interval() {
      return [this.atRank(this.rank(25)), this.atRank(this.rank(975))];
    }
  }

  /** Browsers compile what has run for a while. When `host` comes into view, run the generator on a scratch list while
   *  the page is idle: the first press is then as fast as the tenth. */
  let warm = false;
  function warmUp(host) {
    const whenIdle = globalThis.requestIdleCallback ?? ((work) => setTimeout(work, 50));
    new IntersectionObserver((entries, observer) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      if (warm) return;
      warm = true;
      const scratch = new Resampling(Array.from({ length: 20 }, (_, i) => i % 2), "0");
      const work = () => {
        scratch.draw(250);
        if (scratch.total < 10000) whenIdle(work);
      };
      whenIdle(work);
    }).observe(host);
  }

  // ---- Charts

  /** A horizontal axis with five marks: `x` places a share of the whole, `write` names it. */
  function axis(x, y, from, to, write) {
    return svg("g", { class: "axis", transform: `translate(0 ${y})` }, svg("line", { x1: from, x2: to }),
      ...[0, 0.25, 0.5, 0.75, 1].map((share) => svg("g", { transform: `translate(${x(share)} 0)` },
        svg("line", { y2: 5 }), svg("text", { y: 18 }, write(share)))));
  }

  /** A label centred on x where it fits, and pushed inside where it would be cut off. */
  function label(text, x, y, width) {
    const half = text.length * 3.5;           // half the width of 12 px text, roughly
    return svg("text", { x: Math.min(Math.max(x, half + 2), width - half - 2), y }, text);
  }

  /** Draw again whenever the width changes. */
  function onResize(node, draw) {
    let width = 0;
    new ResizeObserver(([entry]) => {
      const now = Math.floor(entry.contentRect.width);
      if (now !== width) draw(width = now);
    }).observe(node);
  }

  const LEFT = 46, RIGHT = 14, TOP = 46, FLOOR = 206;          // where a histogram's bars stand, in pixels

  /**
   * A histogram over all possible scores of a resampling, as wide as the room it gets.
   * @param {object} words `axis` names the scores; `score(k, n)`, `range(k, k, n)` and `tick(share)` write them
   */
  class Histogram {
    constructor(words) {
      this.words = words;
      this.behind = svg("g");
      this.bars = svg("g", { class: "bars" });
      this.front = svg("g");
      this.node = svg("svg", { class: "score-lab-histogram", role: "img", height: 250 }, this.behind, this.bars, this.front);
      onResize(this.node, (width) => {
        this.width = width;
        this.layOut();
      });
    }

    /** Show a resampling, with a band if there are enough resamples for an interval. */
    update(resampling, hasInterval) {
      Object.assign(this, { resampling, hasInterval });
      if (this.width) this.draw();
    }

    x(right) {
      return LEFT + (this.width - LEFT - RIGHT) * (right + 0.5) / this.resampling.counts.length;
    }

    /** What stays while resamples are drawn. */
    layOut() {
      const { width, words, resampling: { counts, questions, measured } } = this, end = width - RIGHT;
      const barWidth = Math.max(1, Math.round((this.x(1) - this.x(0)) * 0.7));
      this.bars.replaceChildren(...Array.from(counts, (_, k) => svg("rect", { x: this.x(k) - barWidth / 2, width: barWidth })));
      this.front.replaceChildren(
        axis((share) => this.x(share * questions), FLOOR, LEFT, end, words.tick),
        svg("text", { x: (LEFT + end) / 2, y: FLOOR + 37 }, words.axis),
        svg("line", { class: "measured", x1: this.x(measured), x2: this.x(measured), y1: TOP - 7, y2: FLOOR }),
        label(`measured ${words.score(measured, questions)}`, this.x(measured), TOP - 12, width));
      this.draw();
    }

    draw() {
      const { words, width, resampling: { counts, total, questions, measured, interval } } = this;
      const most = Math.max(...counts), tall = Math.max(most, 4), scale = (FLOOR - TOP) / (tall * 1.04);
      const power = 10 ** Math.floor(Math.log10(tall / 4));
      const step = power * [1, 2, 5, 10].find((digit) => digit * power >= tall / 4);
      const steps = total ? Array.from({ length: Math.floor(tall / step) }, (_, i) => step * (i + 1)) : [];
      const [low, high] = interval.map((right) => this.x(right));
      counts.forEach((count, k) => {
        this.bars.childNodes[k].setAttribute("y", FLOOR - count * scale);
        this.bars.childNodes[k].setAttribute("height", count * scale);
      });
      this.behind.replaceChildren(
        ...steps.map((count) => svg("g", { class: "grid", transform: `translate(0 ${FLOOR - count * scale})` },
          svg("line", { x1: LEFT, x2: width - RIGHT }), svg("text", { x: LEFT - 6, y: 4 }, grouped(count)))),
        ...(this.hasInterval ? [
          svg("rect", { class: "band", x: low, width: high - low, y: 19, height: FLOOR - 19 }),
          svg("path", { class: "band-edge", d: `M${low} ${FLOOR}V19H${high}V${FLOOR}` }),
          label(`interval ${words.range(...interval, questions)}`, (low + high) / 2, 12, width)] : []));
      this.node.setAttribute("aria-label", `Histogram, ${words.axis}, with a line at the measured ${words.score(measured, questions)}. `
        + (total ? `${grouped(total)} drawn, most often ${words.score(counts.indexOf(most), questions)}.` : "Nothing drawn yet."));
    }
  }

  // ---- Strip of questions

  const DISC = "M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Z", TICK = "M4.6 8.2 7 10.6l4.4-5", CROSS = "m3.5 3.5 9 9m0-9-9 9";

  /** The questions in a row: right (a disc with a tick) or wrong (a cross), and how often the latest resample drew each. */
  class Strip {
    /** Each is called a `noun`; the first has the number `first`: 1 for readers, 0 for Python's indices. */
    constructor(results, noun, first) {
      this.cells = results.map((result, i) => {
        const mark = result
          ? svg("svg", { viewBox: "0 0 16 16", class: "right" }, svg("path", { d: DISC }), svg("path", { d: TICK, class: "tick" }))
          : svg("svg", { viewBox: "0 0 16 16", class: "wrong" }, svg("path", { d: CROSS }));
        const times = html("span", { class: "times" }, " ");
        const spoken = html("span", { class: "score-lab-spoken" });
        const node = html("li", {},
          html("span", { "aria-hidden": "true" }, html("span", { class: "number" }, String(i + first)), mark, times), spoken);
        return { node, times, spoken, words: `${noun} ${i + first}, ${result ? "right" : "wrong"}` };
      });
      this.node = html("ol", { class: "score-lab-strip", style: `--columns: ${results.length % 20 ? 15 : 20}` },
        ...this.cells.map((cell) => cell.node));
      this.update(null);
    }

    /** @param {?number[]} drawn how often each was drawn; null before the first draw */
    update(drawn) {
      this.cells.forEach((cell, i) => {
        setText(cell.times, drawn ? `×${drawn[i]}` : "–");
        setText(cell.spoken, drawn ? `${cell.words}, drawn ${drawn[i] ? times(drawn[i]) : "not at all"}` : cell.words);
        cell.node.className = drawn?.[i] ? "drawn" : "";
        cell.node.style.setProperty("--depth", Math.min(drawn?.[i] ?? 0, 3));
      });
    }
  }

  // ---- What both simulations do

  const ENOUGH = 40;          // 2.5 percent of fewer resamples is less than one of them

  /**
   * An element that resamples a list of results. A subclass brings `seed` (undefined for fresh draws), `show()`, which
   * brings the page up to date, and `summary(start)`, the sentence for the live region.
   */
  class Simulation extends HTMLElement {
    /** Read the attributes. Throws before anything is changed, so that bad ones leave the fallback in place. */
    read() {
      const results = (this.getAttribute("results") ?? "").split(",").map((text) => text.trim());
      const limit = Number(this.getAttribute("resamples")), seed = this.getAttribute("seed");
      const wrong = !results.every((text) => text === "0" || text === "1") ? "results must be zeros and ones with commas between them"
        : !(Number.isInteger(limit) && limit > 0) ? "resamples must be a whole number, 1 or more"
          : !/^\d+$/.test(seed ?? "") ? "seed must be a whole number, 0 or more" : "";
      if (wrong) throw new Error(`<${this.localName}>: ${wrong}`);
      this.results = results.map(Number);
      this.measured = this.results.reduce((sum, result) => sum + result, 0);
      this.limit = limit;
      this.seed = seed;
      this.values = {};
    }

    /** The row of buttons: [[1, "Draw once"], ...], and one to start again. */
    buttons(choices) {
      const button = (text, press, style) => html("button", { type: "button", onclick: press, class: style }, text);
      this.drawButtons = choices.map(([count, text]) => button(text, () => this.draw(count)));
      return html("div", { class: "buttons" }, ...this.drawButtons,
        button("Start again", () => this.startAgain("Started again. Nothing drawn yet."), "quiet"));
    }

    /** A list of named values, to be filled by key: {total: "resamples", ...}. */
    readOuts(names) {
      return html("dl", { class: "read-outs" }, ...Object.entries(names).map(([key, name]) =>
        html("div", {}, html("dt", {}, name), (this.values[key] = html("dd")))));
    }

    get usable() {
      return true;
    }

    startAgain(said) {
      if (this.resampling) this.resampling.stopped = true;
      this.resampling = new Resampling(this.results, this.seed);
      this.running = false;
      this.update();
      this.say(said);
    }

    async draw(count) {
      const { resampling, limit } = this;
      if (this.running || !this.usable) return;
      if (resampling.total === limit) {
        this.say(`All ${grouped(limit)} are drawn. Start again to draw more.`);
        return;
      }
      this.running = true;
      await resampling.drawUntil(Math.min(resampling.total + count, limit));
      if (resampling !== this.resampling) return;             // started again in the meantime
      this.running = false;
      this.update();
      this.say(this.summary(`${grouped(resampling.total)} ${resampling.total === 1 ? "resample" : "resamples"} drawn.`));
      this.dispatchEvent(new Event("settled"));
    }

    update() {
      const { resampling } = this, { total } = resampling;
      this.strip.update(total ? resampling.timesDrawn() : null);
      this.histogram.update(resampling, this.hasInterval);
      for (const button of this.drawButtons) {
        // Not `disabled`: a keyboard user would lose the place.
        button.setAttribute("aria-disabled", String(!this.usable || total === this.limit));
      }
      this.show(resampling);
    }

    get hasInterval() {
      return this.resampling.total >= ENOUGH;
    }

    /** Instead of an interval, while there is none. */
    get noInterval() {
      return this.resampling.total ? `from ${ENOUGH} resamples on` : "–";
    }
  }

  return {
    html, svg, freshId, setText, fillHost, labelled, table, grouped, decimal, percent, times, axis, label, onResize, Resampling,
    Histogram, Strip, Simulation, warmUp,
  };
})();
