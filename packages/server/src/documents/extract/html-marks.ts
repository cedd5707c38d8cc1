/** A part of a text that only eyes or only screen readers get, by its position in a paragraph. */
export type Twin = { kind: "seen" | "spoken"; start: number; end: number; paragraph: number };

/** The usual names of texts that only screen readers get. */
const spokenName =
  /(?:^|\s)(?:visually-?hidden(?:-focusable)?|sr-only|sr-text|screen-?reader(?:-text|-only)?|a11y-hidden|a11y-text|u-hidden-visually|offscreen|a-offscreen|off-screen|hidden-visually|assistive-text|katex-mathml|MJX_Assistive_MathML)(?:\s|$)/i;
const spokenStyle = /\bclip(?:-path)?\s*:\s*(?:rect|inset)\(|\bleft\s*:\s*-\d{4,}px|text-indent\s*:\s*-\d{4,}px/i;

/** Whether an element is for eyes or for screen readers only. */
export function twinKind(tag: string, attributes: Record<string, string>): Twin["kind"] | null {
  const { class: names = "", style = "" } = attributes;
  if (attributes["aria-hidden"] === "true") return "seen";
  if (names === "" && style === "") return tag === "mjx-assistive-mml" ? "spoken" : null;
  return tag === "mjx-assistive-mml" || spokenName.test(names) || spokenStyle.test(style) ? "spoken" : null;
}

/**
 * The part for eyes of two neighbours if the part for screen readers says the same: "$19.99" and "$", "19", "99". Null if
 * it says more.
 */
export function readTwin(text: string, one: Twin, other: Twin | null): Twin | null {
  if (!other || other.kind === one.kind || other.paragraph !== one.paragraph) return null;
  const [seen, spoken] = one.kind === "seen" ? [one, other] : [other, one];
  const left = listCharacters(text.slice(spoken.start, spoken.end));
  const isRepeated = listCharacters(text.slice(seen.start, seen.end)).every((character) => {
    const index = left.indexOf(character);
    if (index >= 0) left.splice(index, 1);
    return index >= 0;
  });
  return isRepeated && spoken.end > spoken.start ? seen : null;
}

const MAX_TWIN = 1_000;
const listCharacters = (text: string): string[] =>
  text
    .slice(0, MAX_TWIN)
    .toLowerCase()
    .match(/[\p{L}\p{N}]/gu) ?? [];

export const isRaised = (tag: string, { style = "" }: Record<string, string>): boolean =>
  tag === "sup" || (style !== "" && /\bvertical-align\s*:\s*super\b/i.test(style));

/** How sure it is that a link holds the number of a note: its markup says so, or it leads to a place in the page. */
export type NoteKind = "note" | "link";

const noteName = /\b(?:fn|footnote|noteref|endnote|reference)/i;
const noteTarget = /#_?(?:fn|ft|footnote|endnote|edn|en|note|nt|n|cite[-_]note)[-_.:]?\w{0,20}$/i;

const noteTags = new Set(["a", "sup", "span"]);

export function noteKind(tag: string, attributes: Record<string, string>): NoteKind | null {
  const { class: names = "", href = "", role = "", rel = "" } = attributes;
  if (!noteTags.has(tag)) return null;
  const isMarked = /\bnoteref\b/.test(attributes["epub:type"] ?? "") || /^doc-(?:noteref|biblioref)$/.test(role);
  const isNamed = rel === "footnote" || noteName.test(names);
  if (isMarked || isNamed || (tag === "a" && noteTarget.test(href))) return "note";
  return tag === "a" && /#[^/]+$/.test(href) ? "link" : null;
}

/**
 * Whether the text of such an element is the number or sign of a note, which would change the number or word before it.
 * A number in brackets after a word does no harm.
 */
export function isNoteNumber(
  text: string,
  before: string,
  { note, isRaised }: { note: NoteKind; isRaised: boolean },
): boolean {
  const isAfterNumber = note === "note" || isRaised ? /\d\s*$/.test(before) : /\d$/.test(before);
  if (isAfterNumber) return /^[[(]?(?:\d{1,4}|[*†‡§]+|[a-z])[\])]?$/i.test(text);
  return note === "note" && /\S$/.test(before) && /^\d{1,4}$/.test(text);
}

/** The usual parts of the names of icons that say yes or no. */
const iconEnd = "(?:[-_](?:circle|square|solid|outline|icon|mark|bold|lg|fill|filled|o))*(?:\\.\\w{2,4})?(?=\\s|$)";
const yesName = new RegExp(`(?:^|[-_\\s])(?:check|checkmark|tick|yes|included)${iconEnd}`, "i");
const noName = new RegExp(`(?:^|[-_\\s])(?:cross|xmark|times|no|not-included|unavailable)${iconEnd}`, "i");

/** What a reader sees of a picture, drawing or icon: its alternative text, or the tick or cross that its name tells of. */
export function labelOf(tag: string, attributes: Record<string, string>): string {
  const { alt = "", title = "", class: names = "", src = "", href = "" } = attributes;
  if (!/^(?:td|img|svg|use|i|span|div|object|input|picture|em|b|ion-icon|mat-icon)$/.test(tag)) return "";
  const written = (attributes["aria-label"] ?? "").trim() || alt.trim() || title.trim();
  if (written !== "") return written;
  const name = `${names} ${(src || href || attributes["xlink:href"] || attributes.name || "").replace(/^.*[/#]/, "")}`;
  if (noName.test(name)) return "✗";
  return yesName.test(name) ? "✓" : "";
}
