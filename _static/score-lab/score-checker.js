/* <score-checker right="5" asked="20" level="95">fallback</score-checker>
 *
 * Someone shows you a score: what is it worth? Intervals by Wilson, Wald and plus four, whether a percentage can occur
 * at all, and how many questions would settle it. The address carries the state: #right=5&asked=20, #percent=87.3&asked=20.
 */
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  if (!document.querySelector("score-checker")) return;
  const { html, svg, freshId, setText, fillHost, labelled, table, grouped, decimal, percent, axis, label, onResize } = scoreLab;

  const MOST = 1000000;
  const CRITICAL = { 90: 1.6448536269514722, 95: 1.959963984540054, 99: 2.5758293035489004 };     // normal quantiles
  const PAUSE = 500;          // milliseconds without a keystroke before the result is spoken and the address follows

  // ---- Statistics

  /** Wald: p ± z sqrt(p (1 - p) / n). May leave [0, 1]. */
  function wald(right, asked, z) {
    const share = right / asked, margin = z * Math.sqrt(share * (1 - share) / asked);
    return [share - margin, share + margin];
  }

  /** Wilson (1927). Never leaves [0, 1]: the ends there are exact. */
  function wilson(right, asked, z) {
    const share = right / asked, total = asked + z * z;
    const centre = (right + z * z / 2) / total;
    const margin = z / total * Math.sqrt(share * (1 - share) * asked + z * z / 4);
    return [right === 0 ? 0 : centre - margin, right === asked ? 1 : centre + margin];
  }

  /** Plus four: Wald after adding two right and two wrong. May leave [0, 1]. */
  function plusFour(right, asked, z) {
    return wald(right + 2, asked + 4, z);
  }

  const METHODS = [["Wilson", wilson, "wilson"], ["Wald", wald, "wald"], ["Plus four", plusFour, "plus-four"]];

  /** Questions that bring Wald's half-width down to `half` if the true share is `share`. */
  function questionsNeeded(half, share, z) {
    return Math.ceil((z / half) ** 2 * share * (1 - share));
  }

  /**
   * Which counts of right answers are printed as this percentage, rounded half up or half down? `text` is as typed,
   * "87.3": its decimals say how it was rounded. Returns whether any count `fits`, the `first`, `last` and `nearest` that
   * do, and the counts `below` and `above` the exact value.
   */
  function countsFor(text, asked) {
    const [whole, decimals = ""] = text.split(".");
    const typed = BigInt(whole + decimals), scale = 10n ** BigInt(decimals.length), n = BigInt(asked);
    // The count k fits if |100 k / n - typed / scale| <= 1 / (2 scale). Times 2 n scale, that is all whole numbers.
    const unit = 200n * scale, exact = 2n * typed * n;
    const clamp = (count) => Math.min(Math.max(Number(count), 0), asked);
    const first = clamp((exact - n + unit - 1n) / unit), last = clamp((exact + n) / unit);
    const below = clamp(exact / unit), above = clamp(below + 1);
    return { fits: first <= last, first, last, nearest: clamp((exact + unit / 2n) / unit), below, above };
  }

  // ---- What was typed

  const shorten = (text) => `“${text.length > 20 ? `${text.slice(0, 20)}…` : text}”`;
  const NEGATIVE = /^[-−–]\s*[\d.,]+$/;

  // What people type into a box for a count, and what to tell them; the first that matches is said.
  const COUNT_TROUBLES = [
    [/%|percent/i, "is a percentage, and this box takes a count. Choose “a percentage” above."],
    [NEGATIVE, "is negative. A count is 0 or more."],
    [/^\d+\s*(\/|of|out of)\s*\d+$/i, "is two numbers. Right answers go in one box, questions asked in the other."],
    [/^\d*[.,]?\d+e[+-]?\d+$/i, "is shorthand. Write the number in plain digits."],
    [/^\d+(\.\d{3})+$/, "is unclear. Write the number in plain digits, without a point."],
    [/^\d*[.,]\d*$/, "is not a whole number. Answers are counted one by one."],
    [/./, "is not a number. Type it in plain digits, 0 to 9."],
  ];

  /** A count as typed: {value}, or {trouble}, a sentence that says what is wrong and what to do. */
  function readCount(text, what, example) {
    const typed = text.trim();
    if (typed === "") return { trouble: `This box is empty. Type the number of ${what}, such as ${example}.` };
    if (!/^\d+$|^\d{1,3}(,\d{3})+$/.test(typed)) {
      return { trouble: `${shorten(typed)} ${COUNT_TROUBLES.find(([pattern]) => pattern.test(typed))[1]}` };
    }
    const value = Number(typed.replaceAll(",", ""));
    return value <= MOST ? { value } : { trouble: `${shorten(typed)} is too many for this page. Type ${grouped(MOST)} or less.` };
  }

  function readAsked(text) {
    const answer = readCount(text, "questions asked", "20");
    return answer.value === 0 ? { trouble: "A score needs at least one question. Type how many were asked." } : answer;
  }

  function readRight(text, asked) {
    const answer = readCount(text, "right answers", "5");
    return answer.value > asked
      ? { trouble: `${grouped(answer.value)} right of ${grouped(asked)} asked cannot be. Type ${grouped(asked)} or less.` } : answer;
  }

  /** A percentage as typed: {value}, the digits as text so that its decimals are kept, or {trouble}. */
  function readPercent(text) {
    const typed = text.trim().replace(/\s*(%|percent)$/i, "");
    if (typed === "") return { trouble: "This box is empty. Type the percentage you were shown, such as 87.3." };
    if (NEGATIVE.test(typed)) return { trouble: `${shorten(typed)} is negative. A score lies between 0 and 100 percent.` };
    if (/^\d*,\d+$/.test(typed)) return { trouble: `${shorten(typed)} has a comma. Write the decimals with a point, such as 87.3.` };
    if (!/^(\d+\.?\d*|\.\d+)$/.test(typed)) return { trouble: `${shorten(typed)} is not a percentage. Type it in plain digits, such as 87.3.` };
    const [whole, decimals = ""] = typed.split(".");
    if (Number(typed) > 100) return { trouble: `${shorten(typed)} is more than 100. A score lies between 0 and 100 percent.` };
    if (decimals.length > 6) return { trouble: `${shorten(typed)} has too many decimals. Six are enough for any score.` };
    return { value: `${Number(whole)}${decimals && `.${decimals}`}` };
  }

  // ---- Words

  const questions = (count) => `${grouped(count)} ${count === 1 ? "question" : "questions"}`;

  /** An end in percent with one decimal. */
  const end = (share) => decimal(100 * share, 1);

  function sentenceFor(right, asked, level) {
    const [low, high] = wilson(right, asked, CRITICAL[level]);
    return `${grouped(right)} of ${questions(asked)} right: ${percent(right, asked, 1)} percent, `
      + `${level}% interval ${end(low)} to ${end(high)} percent (Wilson).`;
  }

  /** What is wrong with an interval, if anything. */
  function verdict([low, high], name, asked) {
    if (name === "Wald" && low === high) return `width zero: claims certainty after ${questions(asked)}`;
    const sides = [low < 0 && "starts below 0", high > 1 && "ends above 100"].filter(Boolean);
    return sides.length ? `${sides.join(" and ")}: impossible` : "";
  }

  // ---- The element

  class ScoreChecker extends HTMLElement {
    connectedCallback() {
      if (this.output) return;
      fillHost(this, "Check a score", ...this.build());
      const start = (name, otherwise) => this.getAttribute(name) ?? otherwise;
      this.set({ right: start("right", "5"), asked: start("asked", "20"), level: start("level", "95") });
      this.update();
      if (this.readAddress()) this.scrollIntoView();
      addEventListener("hashchange", () => this.readAddress());
    }

    build() {
      const changed = () => this.update(true);
      const choices = (legend, options, onchange) => {
        const name = freshId(), radios = options.map(([value, text]) => labelled(text, { type: "radio", name, value, onchange }));
        const node = html("fieldset", {}, html("legend", {}, legend), ...radios.map((radio) => radio.node));
        return { node, inputs: radios.map((radio) => radio.input) };
      };
      const kinds = choices("Someone shows you", [["right", "a count of right answers"], ["percent", "a percentage"]], () => this.convert());
      const levels = choices("Confidence level", Object.keys(CRITICAL).map((level) => [level, `${level} percent`]), changed);
      this.kinds = kinds.inputs;
      this.levels = levels.inputs;

      const field = (text, inputmode) => {
        const trouble = html("p", { class: "note trouble", id: freshId() });
        const made = labelled(text, { type: "text", inputmode, autocomplete: "off", "aria-describedby": trouble.id, oninput: changed });
        made.node.append(trouble);
        return { ...made, trouble };
      };
      this.fields = {
        right: field("Right answers", "numeric"), percent: field("Percentage", "decimal"), asked: field("Questions asked", "numeric"),
      };

      this.impossible = html("div", { class: "impossible" });
      this.sentence = html("p", { class: "sentence" });
      this.copyButton = html("button", { type: "button", onclick: () => this.copy() });
      this.warnings = html("ul", { class: "warnings" });
      this.chart = svg("svg", { class: "score-lab-line", "aria-hidden": "true" });          // the table says it all
      onResize(this.chart, () => this.drawChart());
      this.caption = html("caption");
      this.table = table(["method", "low", "high", "width"], this.caption);
      this.needed = html("p", { class: "note" });
      this.output = html("div", { class: "output" },
        html("div", { class: "publish" }, this.sentence, this.copyButton), this.warnings, this.chart, this.table.node, this.needed);
      this.status = html("p", { role: "status", class: "score-lab-spoken" });
      return [
        kinds.node, html("div", { class: "fields" }, ...Object.values(this.fields).map((each) => each.node)), levels.node,
        this.impossible, this.output, this.status,
      ];
    }

    // ---- State

    get kind() {
      return this.kinds.find((input) => input.checked).value;
    }

    get level() {
      return Number(this.levels.find((input) => input.checked).value);
    }

    /** Put a state into the boxes: {right, asked, level} or {percent, asked, level}, all of them text. */
    set({ right, percent: typed, asked, level }) {
      for (const input of this.kinds) input.checked = input.value === (typed === undefined ? "right" : "percent");
      for (const input of this.levels) input.checked = input.value === (Object.hasOwn(CRITICAL, level) ? level : "95");
      if (right !== undefined) this.fields.right.input.value = right;
      if (typed !== undefined) this.fields.percent.input.value = typed;
      this.fields.asked.input.value = asked;
    }

    /** Take the state from the address if it holds one, and leave any other #anchor alone. */
    readAddress() {
      const state = new URLSearchParams(location.hash.slice(1));
      if (!state.has("asked") || !(state.has("right") || state.has("percent"))) return false;
      this.set(Object.fromEntries(["right", "percent", "asked", "level"].map((name) => [name, state.get(name) ?? undefined])));
      this.update();
      return true;
    }

    writeAddress() {
      const { kind, level } = this;
      const state = new URLSearchParams({ [kind]: this.fields[kind].input.value.trim(), asked: this.fields.asked.input.value.trim() });
      if (level !== 95) state.set("level", level);
      history.replaceState(history.state, "", `#${state}`);
    }

    // ---- Result

    /** After a change by the reader, the address follows and the result is spoken. */
    update(byReader = false) {
      const { kind, level, fields } = this;
      fields.right.node.hidden = kind !== "right";
      fields.percent.node.hidden = kind !== "percent";
      const asked = readAsked(fields.asked.input.value);
      const first = kind === "right" ? readRight(fields.right.input.value, asked.value) : readPercent(fields.percent.input.value);
      this.showTrouble(fields.asked, asked.trouble);
      this.showTrouble(fields[kind], first.trouble);

      const trouble = first.trouble ?? asked.trouble;
      const counts = kind === "percent" && !trouble ? countsFor(first.value, asked.value) : null;
      const possible = !trouble && (!counts || counts.fits);
      this.output.hidden = !possible;
      this.impossible.replaceChildren(...(trouble || possible ? [] : this.explain(first.value, asked.value, counts)));
      this.impossible.hidden = !this.impossible.hasChildNodes();
      this.result = possible ? { right: counts ? counts.nearest : first.value, asked: asked.value, level } : null;
      if (possible) this.show(counts, first.value);
      if (!byReader) return;
      const said = trouble ?? (possible ? this.sentence : this.impossible.firstChild).textContent;
      clearTimeout(this.later);
      this.later = setTimeout(() => {
        if (!trouble) this.writeAddress();
        setText(this.status, said);
      }, PAUSE);
    }

    /** The reader changed between count and percentage: carry the score over, where there is one. */
    convert() {
      if (this.result) {
        const { right, asked } = this.result;
        this.fields.right.input.value = right;
        this.fields.percent.input.value = percent(right, asked, 1);
      }
      this.update(true);
    }

    showTrouble({ input, trouble }, text = "") {
      setText(trouble, text);
      input.setAttribute("aria-invalid", String(text !== ""));
    }

    /** A percentage that this many questions cannot give: say so, and offer the scores on either side. */
    explain(typed, asked, { below, above }) {
      const digits = Math.max(2, (typed.split(".")[1] ?? "").length);
      const shown = (right) => percent(right, asked, digits).replace(/\.?0+$/, "");
      const use = (right) => html("button", {
        type: "button",
        onclick: () => {
          this.set({ right: String(right), asked: String(asked), level: String(this.level) });
          this.update(true);
          this.fields.right.input.focus();
        },
      }, `Use ${grouped(right)} of ${grouped(asked)}`);
      return [
        html("p", { class: "sentence" },
          `${typed} percent of ${questions(asked)} cannot happen; the nearest scores are ${shown(below)} and ${shown(above)}.`),
        html("div", { class: "buttons" }, use(below), use(above)),
      ];
    }

    show(counts, typed) {
      const { right, asked, level } = this.result, z = CRITICAL[level], wrong = asked - right;
      setText(this.sentence, sentenceFor(right, asked, level));
      setText(this.copyButton, "Copy the sentence");

      const warnings = [];
      if (counts) {
        warnings.push(counts.first === counts.last
          ? `${typed} percent of ${questions(asked)} is ${grouped(right)} right.`
          : `${typed} percent of ${questions(asked)} fits ${grouped(counts.first)} to ${grouped(counts.last)} right. `
            + `This uses ${grouped(right)}, the nearest: ask for the count.`);
      }
      if (right < 10 || wrong < 10) {
        const few = [right < 10 && `${right} right`, wrong < 10 && `${wrong} wrong`].filter(Boolean).join(" and ");
        warnings.push(`Only ${few}. With fewer than ten right or ten wrong, do not trust the Wald interval.`);
      }
      this.warnings.replaceChildren(...warnings.map((text) => html("li", {}, text)));
      this.warnings.hidden = !warnings.length;

      this.intervals = METHODS.map(([name, method, style]) => {
        const interval = method(right, asked, z);
        return { name, style, interval, verdict: verdict(interval, name, asked) };
      });
      setText(this.caption, `${level} percent intervals, in percent`);
      this.table.setRows(this.intervals.map(({ name, interval: [low, high], verdict: note }) =>
        [html("span", {}, name, ...(note ? [html("small", {}, note)] : [])), end(low), end(high), end(high - low)]));

      const needed = (share) => [0.05, 0.03].map((half) => questionsNeeded(half, share, z));
      const share = right / asked, [five, three] = needed(share);
      const worst = needed(0.5).map(grouped);
      const enough = five * Math.min(share, 1 - share) >= 10;
      setText(this.needed, `To pin a score to 5 percentage points either way takes ${worst[0]} questions, and to 3 percentage points ${worst[1]}, `
        + `at ${level} percent and in the worst case, a true score of 50 percent.`
        + (enough && share !== 0.5
          ? ` If the true score is ${percent(right, asked, 1)} percent, ${grouped(five)} and ${grouped(three)} are enough.` : ""));
      this.drawChart();
    }

    // ---- Number line

    drawChart() {
      const width = this.chart.clientWidth;
      if (!width || !this.result) return;
      const { right, asked, level } = this.result, measured = right / asked;
      const ends = this.intervals.flatMap(({ interval }) => interval);
      const least = Math.min(0, ...ends), most = Math.max(1, ...ends);
      const left = 14, top = 28, row = 44, floor = top + row * this.intervals.length + 6, height = floor + 28;
      const x = (share) => left + (share - least) / (most - least) * (width - 2 * left);
      this.chart.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.chart.setAttribute("height", height);
      const outside = [[least, 0, 0], [1, most, 1]].filter(([from, to]) => to > from);
      this.chart.replaceChildren(
        ...outside.flatMap(([from, to, wall]) => [
          svg("rect", { class: "outside", x: x(from), width: x(to) - x(from), y: top, height: floor - top }),
          svg("line", { class: "wall", x1: x(wall), x2: x(wall), y1: top, y2: floor })]),
        axis(x, floor, x(least), x(most), (share) => String(100 * share)),
        svg("line", { class: "measured", x1: x(measured), x2: x(measured), y1: top - 8, y2: floor }),
        label(`measured ${percent(right, asked, 1)}`, x(measured), top - 13, width),
        ...this.intervals.flatMap(({ name, style, interval: [low, high], verdict: note }, i) => {
          const y = top + row * i + 30;
          const text = `${name} ${end(low)} to ${end(high)}${note && (low === high ? ", width zero" : ", impossible")}`;
          return [
            label(text, x((Math.max(low, 0) + Math.min(high, 1)) / 2), y - 10, width),
            svg("rect", { class: `interval ${style}`, x: x(low), width: Math.max(x(high) - x(low), 1), y: y - 4, height: 8 }),
            ...[low, high].map((share) => (share < 0 || share > 1
              ? svg("path", { class: "cross", d: `M${x(share) - 5} ${y - 5}l10 10m0-10l-10 10` })
              : svg("path", { class: "cap", d: `M${x(share)} ${y - 8}v16` }))),
          ];
        }));
    }

    // ---- Copying

    async copy() {
      const text = this.sentence.textContent;
      const copied = await (navigator.clipboard?.writeText(text).then(() => true, () => false) ?? false) || this.copyOldWay();
      setText(this.copyButton, copied ? "Copied" : "Copy the sentence");
      setText(this.status, copied ? "Copied." : "The sentence is selected: copy it with Ctrl+C, or Command+C on a Mac.");
    }

    /** Where the page may not reach the clipboard by itself: select the sentence, and ask the browser to copy that. */
    copyOldWay() {
      const range = document.createRange();
      range.selectNodeContents(this.sentence);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      return document.execCommand("copy");
    }
  }

  customElements.define("score-checker", ScoreChecker);
});
