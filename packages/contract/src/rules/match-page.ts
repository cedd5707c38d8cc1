const MAX_PATTERN = 2_000;
/** No segment is this; it stands for all of them. */
const ANY = "/";

/**
 * Whether a page's path fits a glob pattern. Both are compared as a browser's `location.pathname` writes them, so a
 * pattern may be typed in Unicode. Query and hash of the path are ignored, nothing else is: case and trailing slashes
 * count. `*` alone between slashes is one non-empty segment, within a segment any characters but a slash. `**` alone
 * between slashes is zero or more segments; at the end it wants something there (`/blog/**` is neither `/blog` nor
 * `/blog/`), but `/**` and `**` are every page. Everything else is literal.
 *
 * Takes path length × pattern length comparisons at most, and hardly more than the path is long for patterns that are
 * not made to be slow: where a wildcard has to take more, only the newest one is asked to. That is enough, because the
 * part before it stood as far to the left as it could.
 */
export function matchPage(pattern: string, path: string): boolean {
  const glob = asInAddress(pattern);
  const page = asInAddress(path.split(/[?#]/, 1)[0] ?? "");
  if (/^\/?(\*\*\/)*\*\*$/.test(glob)) return true;
  const wanted = glob.split("/");
  const given = page.split("/");
  if (wanted.at(-1) === "**") {
    // Something has to stand there: any segment, or the slash of an empty one.
    wanted.push(ANY);
    if (given.at(-1) === "") given.pop();
  }
  return isRow(wanted, given, "**", (at, place) => fitsSegment(wanted[at] ?? "", given[place] ?? ""));
}

function fitsSegment(wanted: string, segment: string): boolean {
  if (wanted === ANY) return true;
  if (/^\*+$/.test(wanted)) return segment !== "";
  return isRow(wanted, segment, "*", (at, place) => wanted.charCodeAt(at) === segment.charCodeAt(place));
}

/** Whether all of `given` fits the row of `wanted`, in which each `wildcard` is any number of elements. */
function isRow(
  wanted: ArrayLike<string>,
  given: ArrayLike<string>,
  wildcard: string,
  isSame: (at: number, place: number) => boolean,
): boolean {
  let at = 0;
  let place = 0;
  let afterWild = 0;
  let taken = 0;
  while (place < given.length) {
    if (wanted[at] === wildcard) {
      afterWild = ++at;
      taken = place;
    } else if (at < wanted.length && isSame(at, place)) {
      at++;
      place++;
    } else {
      if (!afterWild) return false;
      at = afterWild;
      place = ++taken;
    }
  }
  while (wanted[at] === wildcard) at++;
  return at === wanted.length;
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
