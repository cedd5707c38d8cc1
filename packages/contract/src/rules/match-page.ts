const MAX_PATTERN = 2_000;
const SLASH = 47;

/** What a pattern's step takes when it is not one character itself. */
const NOT_SLASH = -1;
const RUN = -2;
const SEGMENTS = -3;
const ANYTHING = -4;
const REST = -5;

/** One bit a step: those that a character completes, those that go on after it, and those that may end there unfilled. */
type Masks = { moves: Int32Array; stays: Int32Array; skips: Int32Array };

/**
 * Whether a page's path fits a glob pattern. Both are compared as a browser's `location.pathname` writes them, so a
 * pattern may be typed in Unicode. Query and hash of the path are ignored, nothing else is: case and trailing slashes
 * count. `*` alone between slashes is one non-empty segment, within a segment any characters but a slash. `**` alone
 * between slashes is zero or more segments; at the end it wants something there (`/blog/**` is neither `/blog` nor
 * `/blog/`), but `/**` and `**` are every page. Everything else is literal.
 *
 * Takes path length × pattern length / 32 steps at most: all ways to match are followed at once, one bit each.
 */
export function matchPage(pattern: string, path: string): boolean {
  const glob = asInAddress(pattern);
  const page = asInAddress(path.split(/[?#]/, 1)[0] ?? "");
  if (!glob.includes("*")) return glob === page;
  if (/^\/?(\*\*\/)*\*\*$/.test(glob)) return true;
  const steps = stepsOf(glob);
  const words = (steps.length >> 5) + 1;
  const masks = new Map<number, Masks>();
  const ways = new Int32Array(words);
  ways[0] = 1;
  // Before the path stands what stands before a segment.
  const { skips } = masksOf(steps, words, SLASH);
  advance(ways, { moves: new Int32Array(words), stays: new Int32Array(words).fill(-1), skips });
  for (let at = 0; at < page.length; at++) {
    const sign = page.charCodeAt(at);
    const known = masks.get(sign) ?? masksOf(steps, words, sign);
    masks.set(sign, known);
    if (!advance(ways, known)) return false;
  }
  return (((ways[steps.length >> 5] ?? 0) >>> (steps.length & 31)) & 1) === 1;
}

/**
 * What is wrong with a pattern that is to be saved, in words that follow its name; null when it is fine. Refuses what no
 * page's path can fit.
 */
export function pagePatternProblem(pattern: string): string | null {
  if (pattern === "") return "must not be empty";
  // Counted as compared: a character outside ASCII takes up to nine there.
  if (pattern.length > MAX_PATTERN || asInAddress(pattern).length > MAX_PATTERN) {
    return `must be at most ${MAX_PATTERN} characters long, as written in an address`;
  }
  if (!/^(\/|\*\*(\/|$))/.test(pattern)) return "must start with / (/pricing, /blog/**) or be ** for every page";
  if (/[?#]/.test(pattern)) return "must not have ? or #: a page's query and hash are not compared";
  if (/[\\\p{Cc}]|\s$/u.test(pattern)) return "must not have \\, control characters or a space at its end";
  if (/\/(\.|%2e){1,2}(\/|$)/i.test(pattern)) return "must not have . or .. as a segment";
  return null;
}

/** Lone surrogates, raw characters and the case of escapes become what they are in an address; escapes stay escaped. */
function asInAddress(text: string): string {
  const escaped = encodeURI(text.replace(/\p{Cs}/gu, "\ufffd")).replace(/%25/g, "%");
  return escaped.replace(/%[\da-f]{2}/gi, (triplet) => triplet.toUpperCase());
}

function stepsOf(glob: string): number[] {
  const segments = glob.split("/");
  return segments.flatMap((segment, index) => {
    const isLast = index === segments.length - 1;
    if (segment === "**") {
      if (isLast) return [ANYTHING, REST];
      return segments[index - 1] === "**" ? [] : [SEGMENTS];
    }
    const signs = [...segment.replace(/\*+/g, "*")].map((sign) => (sign === "*" ? RUN : sign.charCodeAt(0)));
    return [...(signs[0] === RUN && signs.length === 1 ? [NOT_SLASH] : []), ...signs, ...(isLast ? [] : [SLASH])];
  });
}

function masksOf(steps: number[], words: number, sign: number): Masks {
  const isSlash = sign === SLASH;
  return {
    moves: bitsOf(steps, words, (step) => step === sign || step === ANYTHING || (step === NOT_SLASH && !isSlash)),
    stays: bitsOf(steps, words, (step) => step === SEGMENTS || step === REST || (step === RUN && !isSlash)),
    skips: bitsOf(steps, words, (step) => step === RUN || step === REST || (step === SEGMENTS && isSlash)),
  };
}

/** Takes one character. @returns whether a way is left */
function advance(ways: Int32Array, { moves, stays, skips }: Masks): boolean {
  let carry = 0;
  let left = 0;
  for (let word = 0; word < ways.length; word++) {
    const before = ways[word] ?? 0;
    const skip = skips[word] ?? 0;
    const moved = before & (moves[word] ?? 0);
    let after = (before & (stays[word] ?? 0)) | (moved << 1) | carry;
    // Twice, because `**/` and `*` are the longest row of steps that can be skipped.
    after |= (after & skip) << 1;
    after |= (after & skip) << 1;
    carry = (moved | (after & skip)) >>> 31;
    ways[word] = after;
    left |= after;
  }
  return left !== 0;
}

function bitsOf(steps: number[], words: number, hasIt: (step: number) => boolean): Int32Array {
  const bits = new Int32Array(words);
  steps.forEach((step, at) => {
    if (hasIt(step)) bits[at >> 5] = (bits[at >> 5] ?? 0) | (1 << (at & 31));
  });
  return bits;
}
