/* <resample-lab results="0,0,1,..." seed="20260912" resamples="10000">fallback</resample-lab>
 *
 * The bootstrap of one score, with the very draws of numpy.random.default_rng(seed).choice(results, size=n).
 * Fires "settled" on itself whenever a press of a button has been carried out.
 */
"use strict";
document.addEventListener("DOMContentLoaded", () => {
  if (!document.querySelector("resample-lab")) return;
  const {
    html, freshId, setText, fillHost, labelled, table, grouped, decimal, percent, Histogram, Strip, Simulation, warmUp,
  } = scoreLab;

  class ResampleLab extends Simulation {
    connectedCallback() {
      if (this.results) return;
      this.read();
      this.chapterSeed = this.seed;
      const parts = this.build();
      this.chooseSeed();      // before the fallback goes: it throws without its generator
      fillHost(this, "Resample the score", ...parts);
      warmUp(this);
    }

    /** A score in words; its number of questions is always this element's. */
    score(right) {
      return `${percent(right, this.results.length, 1)} percent`;
    }

    range(low, high) {
      return `${percent(low, this.results.length, 1)} to ${this.score(high)}`;
    }

    build() {
      this.strip = new Strip(this.results, "question", 1);
      this.histogram = new Histogram({
        axis: "score of a resample, in percent", tick: (share) => String(100 * share),
        score: (right) => this.score(right), range: (low, high) => this.range(low, high),
      });
      this.note = html("p", { id: freshId() });
      const seed = labelled("Seed", {
        type: "text", inputmode: "numeric", autocomplete: "off", value: this.seed, "aria-describedby": this.note.id,
        oninput: () => this.chooseSeed(),
      });
      const fresh = labelled("fresh draws, without a seed", { type: "checkbox", onchange: () => this.chooseSeed() });
      this.seedField = seed.input;
      this.fresh = fresh.input;
      this.status = html("p", { role: "status", class: "result" });
      this.edge = html("p", { class: "note" });
      this.table = table(["score", "how often", "share"]);
      return [
        this.strip.node,
        this.buttons([[1, "Draw once"], [100, "Draw 100"], [1000, "Draw 1,000"], [this.limit, `Draw all ${grouped(this.limit)}`]]),
        html("div", { class: "fields" }, seed.node, fresh.node, this.note),
        this.status,
        this.histogram.node,
        this.readOuts({
          last: "last score", total: "resamples", distinct: "distinct scores", missed: `missed ${this.score(this.measured)}`,
          mean: "mean", deviation: "standard deviation", interval: "95 percent interval",
        }),
        this.edge,
        html("details", {}, html("summary", {}, "Table of the counts"), this.table.node),
      ];
    }

    // ---- Seed

    /** What is wrong with the seed field; an empty string if nothing is. */
    get trouble() {
      const text = this.seedField.value.trim();
      if (this.fresh.checked) return "";
      if (text === "") return `The seed is empty. Type a whole number, such as ${this.chapterSeed}.`;
      if (/^[-−–]\s*\d+$/.test(text)) return "A seed cannot be negative. Type a whole number, 0 or more.";
      if (!/^\d+$/.test(text)) return `“${text.slice(0, 20)}” is not a whole number. A seed has the digits 0 to 9 and nothing else.`;
      return text.length > 100 ? "This seed has more than 100 digits. Type a shorter one." : "";
    }

    get usable() {
      return this.trouble === "";
    }

    chooseSeed() {
      const { trouble, fresh: { checked } } = this, typed = this.seedField.value.trim();
      this.seed = checked ? undefined : trouble ? this.chapterSeed : typed;
      this.seedField.disabled = checked;
      this.seedField.setAttribute("aria-invalid", String(trouble !== ""));
      this.note.className = trouble ? "note trouble" : "note";
      setText(this.note, trouble
        || (checked ? "Different draws every time, so your numbers will not be the chapter’s."
          : BigInt(typed) === BigInt(this.chapterSeed) ? "The chapter’s seed: these are the draws of its cell, one for one."
            : "Another seed. NumPy’s default_rng draws the same with it, one for one."));
      this.startAgain(trouble);
    }

    // ---- Result

    say(text) {
      setText(this.status, text);
    }

    summary(start) {
      return this.hasInterval ? `${start} 95 percent of them scored ${this.range(...this.resampling.interval)}.`
        : `${start} The last one scored ${this.score(this.resampling.lastScore)}.`;
    }

    show(resampling) {
      const { values } = this, { total, counts } = resampling;
      const missed = total - counts[this.measured];
      const show = (key, text) => setText(values[key], total ? text() : "–");
      show("last", () => this.score(resampling.lastScore));
      setText(values.total, grouped(total));
      show("distinct", () => `${resampling.distinct} of ${counts.length}`);
      show("missed", () => `${percent(missed, total, 1)} percent (${grouped(missed)})`);
      show("mean", () => `${decimal(100 * resampling.mean, 1)} percent`);
      show("deviation", () => `${decimal(100 * resampling.standardDeviation, 2)} percentage points`);
      setText(values.interval, this.hasInterval ? this.range(...resampling.interval) : this.noInterval);
      setText(this.edge, this.hasInterval ? `Low end: ${this.razorEdge()}` : "");

      const rows = [...counts].flatMap((count, right) =>
        (count ? [[percent(right, this.results.length, 1), grouped(count), `${percent(count, total, 2)}%`]] : []));
      this.table.setRows(total ? rows : [["–", "0", "–"]]);
    }

    /** How many resamples stand between the low end and its nearer neighbour. */
    razorEdge() {
      const { resampling } = this, { counts } = resampling;
      const rank = resampling.rank(25), low = resampling.atRank(rank);
      const upTo = (right) => counts.subarray(0, right + 1).reduce((sum, count) => sum + count, 0);
      const scored = (right) => `${grouped(upTo(right))} scored ${this.score(right)}${right ? " or less" : ""}`
        + `, and ${grouped(rank)} are needed to make that the low end`;
      const short = low ? rank - upTo(low - 1) : Infinity;         // so many more below, and the low end goes down
      const spare = upTo(low) - rank;                             // one more than this fewer, and it goes up
      if (short <= spare) return `${scored(low - 1)}: ${grouped(short)} short, so it is ${this.score(low)}.`;
      const next = counts.findIndex((count, right) => right > low && count > 0);
      return `${scored(low)}: ${grouped(spare)} to spare${next < 0 ? "" : `, or it would be ${this.score(next)}`}.`;
    }
  }

  customElements.define("resample-lab", ResampleLab);
});
