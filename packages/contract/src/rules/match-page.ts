const MAX_PATTERN = 2_000;
/** Stands for any segment in a pattern. Real segments never contain a slash. */
const ANY = "/";

/**
 * Whether a page's path matches a glob pattern. Both are compared as in a browser's `location.pathname`, so a pattern
 * may contain Unicode. Query and hash are ignored. Case and trailing slashes are significant. `*` alone between slashes
 * is one non-empty segment; within a segment it is any number of characters except a slash. `**` alone between slashes
 * is any number of segments. At the end it requires something (`/blog/**` matches neither `/blog` nor `/blog/`), but
 * `/**` and `**` match every page. Everything else is literal. Takes at most path length × pattern length comparisons,
 * and usually about the path length: when a match fails, only the latest wildcard is extended. That is enough, because
 * everything before it matched as far left as possible.
 */
export function matchPage(pattern: string, path: string): boolean {
  const glob = encodeLikeBrowser(pattern);
  const page = encodeLikeBrowser(path.split(/[?#]/, 1)[0] ?? "");
  if (/^\/?(\*\*\/)*\*\*$/.test(glob)) return true;
  const wanted = glob.split("/");
  const given = page.split("/");
  if (wanted.at(-1) === "**") {
    // Requires at least one character: a segment, or the slash of an empty one.
    wanted.push(ANY);
    if (given.at(-1) === "") given.pop();
  }
  return isRow(wanted, given, (at, place) => matchesSegment(wanted[at] ?? "", given[place] ?? ""));
}

function matchesSegment(wanted: string, segment: string): boolean {
  if (wanted === ANY) return true;
  if (/^\*+$/.test(wanted)) return segment !== "";
  return isRow(wanted, segment, (at, place) => wanted.charCodeAt(at) === segment.charCodeAt(place));
}

/** Whether `given` matches `wanted`, in which `*` in a text and `**` in a list match any number of elements. */
function isRow(
  wanted: ArrayLike<string>,
  given: ArrayLike<string>,
  isSame: (at: number, place: number) => boolean,
): boolean {
  const wildcard = typeof wanted === "string" ? "*" : "**";
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
 * Describes why a pattern must not be saved, as a phrase that follows its name; null when it is valid. Refuses patterns
 * that no path can match.
 */
export function pagePatternProblem(pattern: string): string | null {
  if (pattern === "") return "must not be empty";
  // Measured after encoding, in which a character outside ASCII becomes up to nine characters.
  if (pattern.length > MAX_PATTERN || encodeLikeBrowser(pattern).length > MAX_PATTERN) {
    return `must be at most ${MAX_PATTERN} characters long, as written in a URL`;
  }
  if (!/^(\/|\*\*(\/|$))/.test(pattern)) return "must start with / (/pricing, /blog/**) or be ** for every page";
  if (/[?#]/.test(pattern)) return "must not contain ? or #, because a page's query and hash are not compared";
  if (/[\\\p{Cc}]|\s$/u.test(pattern)) return "must not contain \\, control characters or a space at its end";
  if (/\/(\.|%2e){1,2}(\/|$)/i.test(pattern)) return "must not contain . or .. as a segment";
  return null;
}

/**
 * Converts lone surrogates, raw characters and the case of escapes to the form they have in a URL. Escapes stay
 * escaped.
 */
function encodeLikeBrowser(text: string): string {
  const escaped = encodeURI(text.replace(/\p{Cs}/gu, "\ufffd")).replace(/%25/g, "%");
  return escaped.replace(/%[\da-f]{2}/gi, (triplet) => triplet.toUpperCase());
}
