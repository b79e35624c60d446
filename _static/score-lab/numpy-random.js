/* NumPy's random generator, in the page.
 *
 *   const generator = numpyRandom.defaultRng(20260912);
 *   generator.integers(0, 20, 20);     // numpy.random.default_rng(20260912).integers(0, 20, size=20)
 *   generator.choice(results, 20);     // ... .choice(results, size=20, replace=True)
 *
 * The same draws, bit for bit. SeedSequence turns a seed into a state, PCG64 (O'Neill 2014, XSL-RR 128/64) turns the
 * state into random words, and Lemire's method (2019) turns a word into a whole number below n without bias.
 */
"use strict";
(() => {
  const WORD = 2 ** 32, HALF = 2 ** 16;

  // ---- SeedSequence

  const POOL_SIZE = 4;

  /** The 32-bit words of a non-negative whole number, the lowest first; at least one word. */
  function wordsOf(seed) {
    const words = [];
    for (let rest = seed; rest > 0n; rest >>= 32n) words.push(Number(rest & 0xffffffffn));
    return words.length ? words : [0];
  }

  /** A hash whose constant moves on with every call. */
  function hasher(constant, multiplier) {
    return (word) => {
      word ^= constant;
      constant = Math.imul(constant, multiplier);
      word = Math.imul(word, constant);
      return word ^ (word >>> 16);
    };
  }

  function mix(x, y) {
    const word = Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y);
    return word ^ (word >>> 16);
  }

  /** SeedSequence(seed).generate_state(count). */
  function seedSequence(seed, count) {
    const entropy = wordsOf(seed);
    const hash = hasher(0x43b0d7e5, 0x931e8875);
    const pool = Array.from({ length: POOL_SIZE }, (_, i) => hash(entropy[i] ?? 0));
    for (let from = 0; from < POOL_SIZE; from++) {
      for (let to = 0; to < POOL_SIZE; to++) {
        if (from !== to) pool[to] = mix(pool[to], hash(pool[from]));
      }
    }
    for (const word of entropy.slice(POOL_SIZE)) {
      for (let to = 0; to < POOL_SIZE; to++) pool[to] = mix(pool[to], hash(word));
    }
    const output = hasher(0x8b51f9dd, 0x58f38ded);
    return Uint32Array.from({ length: count }, (_, i) => output(pool[i % POOL_SIZE]));
  }

  // ---- PCG64

  // The multiplier 0x2360ED051FC65DA44385DF649FCCF645 in halves of a word, the lowest first.
  const M0 = 0xf645, M1 = 0x9fcc, M2 = 0xdf64, M3 = 0x4385, M4 = 0x5da4, M5 = 0x1fc6, M6 = 0xed05, M7 = 0x2360;

  /**
   * state = state * multiplier + increment, modulo 2**128, in 32-bit words, the lowest first (BigInt is far slower).
   *
   * Doubles are exact up to 2**53. A word times half a word stays below 2**48, and every sum of these below 2**51.
   * `odd` holds the products shifted by half a word: their lower half belongs to this word of the result, the rest to
   * the next.
   */
  function step(state, increment) {
    const s0 = state[0], s1 = state[1], s2 = state[2], s3 = state[3];
    const odd0 = s0 * M1;
    const odd1 = s0 * M3 + s1 * M1;
    const odd2 = s0 * M5 + s1 * M3 + s2 * M1;
    const odd3 = s0 * M7 + s1 * M5 + s2 * M3 + s3 * M1;
    const rest0 = Math.floor(odd0 / HALF), rest1 = Math.floor(odd1 / HALF), rest2 = Math.floor(odd2 / HALF);
    const word0 = s0 * M0 + (odd0 - rest0 * HALF) * HALF + increment[0];
    const word1 = s0 * M2 + s1 * M0 + (odd1 - rest1 * HALF) * HALF + rest0 + increment[1] + Math.floor(word0 / WORD);
    const word2 = s0 * M4 + s1 * M2 + s2 * M0 + (odd2 - rest2 * HALF) * HALF + rest1 + increment[2]
      + Math.floor(word1 / WORD);
    const word3 = s0 * M6 + s1 * M4 + s2 * M2 + s3 * M0 + (odd3 - Math.floor(odd3 / HALF) * HALF) * HALF + rest2
      + increment[3] + Math.floor(word2 / WORD);
    state[0] = word0;         // a Uint32Array keeps the lowest 32 bits
    state[1] = word1;
    state[2] = word2;
    state[3] = word3;
  }

  class Generator {
    constructor(seed) {
      this.state = new Uint32Array(4);
      this.increment = new Uint32Array(4);
      this.spare = new Uint32Array(1);      // a step makes 64 bits: the lower half goes out first, the upper waits here
      this.hasSpare = false;
      // Four 64-bit numbers: initial state (high, low), then stream (high, low).
      const words = seedSequence(seed, 8);
      const initial = [words[2], words[3], words[0], words[1]];
      const stream = [words[6], words[7], words[4], words[5]];
      for (let i = 0; i < 4; i++) this.increment[i] = (stream[i] << 1) | (i ? stream[i - 1] >>> 31 : 1);
      step(this.state, this.increment);
      let carry = 0;
      for (let i = 0; i < 4; i++) {
        const sum = this.state[i] + initial[i] + carry;
        this.state[i] = sum;
        carry = sum >= WORD ? 1 : 0;
      }
      step(this.state, this.increment);
    }

    /** The next 32 bits. */
    next32() {
      if (this.hasSpare) {
        this.hasSpare = false;
        return this.spare[0];
      }
      const state = this.state;
      step(state, this.increment);
      // XSL-RR: xor the state's halves, then rotate the 64 bits right by the six topmost.
      const lower = state[0] ^ state[2], upper = state[1] ^ state[3];
      const swapped = state[3] >>> 31, turn = (state[3] >>> 26) & 31;
      const low = swapped ? upper : lower, high = swapped ? lower : upper;
      // Shifts go up to 31, so one by 32 - turn takes two steps.
      this.spare[0] = (high >>> turn) | (low << 1 << (31 - turn));
      this.hasSpare = true;
      return ((low >>> turn) | (high << 1 << (31 - turn))) >>> 0;
    }

    /** Fill a Uint32Array with draws of integers(0, n). Long or short calls give the same stream. */
    fill(target, n) {
      if (!Number.isInteger(n) || n < 1 || n > WORD) {
        throw new RangeError(`n must be a whole number from 1 to 2**32, and it is ${n}`);
      }
      if (n === 1) return target.fill(0);                // NumPy draws nothing either
      if (n === WORD) {
        for (let i = 0; i < target.length; i++) target[i] = this.next32();
        return target;
      }
      // Lemire: the upper half of word * n is the draw. Below the threshold, the lower half would favour some values.
      const threshold = (WORD - n) % n;
      const lower = n % HALF, upper = (n - lower) / HALF;
      for (let i = 0; i < target.length; i++) {
        let word = this.next32();
        while (Math.imul(word, n) >>> 0 < threshold) word = this.next32();
        target[i] = Math.floor((word * upper + Math.floor(word * lower / HALF)) / HALF);
      }
      return target;
    }

    /** `size` whole numbers from 0 to n - 1, or one number without `size`. `low` is 0, so that the call reads like NumPy's. */
    integers(low, n, size) {
      if (low !== 0) throw new RangeError(`low must be 0, and it is ${low}`);
      if (size === undefined) return this.fill(new Uint32Array(1), n)[0];
      return this.fill(new Uint32Array(size), n);
    }

    /** `size` entries of a list, drawn with replacement, or one entry without `size`. */
    choice(values, size) {
      if (size === undefined) return values[this.integers(0, values.length)];
      const indices = this.integers(0, values.length, size);
      const drawn = new Array(indices.length);
      for (let i = 0; i < indices.length; i++) drawn[i] = values[indices[i]];
      return drawn;
    }
  }

  /**
   * numpy.random.default_rng(seed).
   * @param {number | bigint | string} [seed] a whole number, zero or more; a string holds its decimal digits. Without a
   *   seed, 128 bits from the operating system, as in NumPy.
   * @throws {RangeError} for anything else, and for a number too large to be exact (pass a BigInt or a string)
   */
  function defaultRng(seed) {
    if (seed === undefined) {
      const words = crypto.getRandomValues(new Uint32Array(4));
      return new Generator(words.reduce((sum, word) => (sum << 32n) | BigInt(word), 0n));
    }
    const isDigits = typeof seed === "string" && /^\d+$/.test(seed);
    const isWhole = isDigits || typeof seed === "bigint" || Number.isSafeInteger(seed);
    if (!isWhole || BigInt(seed) < 0n) throw new RangeError(`a seed is a whole number, zero or more, and this is ${seed}`);
    return new Generator(BigInt(seed));
  }

  globalThis.numpyRandom = { defaultRng };
})();
