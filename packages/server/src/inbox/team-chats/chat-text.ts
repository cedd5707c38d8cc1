const WORD_JOINER = "\u2060";

/** A link, or the first character of a mention or a command. */
const specialParts = /https?:\/\/\S+|(?<![\p{L}\p{N}_])@(?=\w)|(?<![\p{L}\p{N}_/<>])\/(?=\w)/gu;

/**
 * Prepares a visitor's text for a chat that turns `@name` into a mention and `/name` into a link to a command. An
 * invisible character after the `@` or `/` prevents both. Links, email addresses and paths are left unchanged.
 */
export function neutralizeMentions(text: string): string {
  return text.replace(specialParts, (part) => (part.length === 1 ? part + WORD_JOINER : part));
}

/** Converts a text to a single line without control characters, of at most `max` UTF-16 code units. */
export function toOneLine(text: string, max: number): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return shorten(line, max);
}

/** Truncates a text to `max` UTF-16 code units, including the ellipsis. */
export function shorten(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, findSafeEnd(text, max - 1))}…`;
}

/**
 * Splits a text into parts of at most `max` UTF-16 code units, preferably between lines or words. If more than
 * `maxParts` parts would be needed, the last part is truncated and ends with `ending`.
 */
export function splitText(text: string, { max, maxParts, ending }: { max: number; maxParts: number; ending: string }) {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    if (parts.length === maxParts - 1) return [...parts, shorten(rest, max - ending.length) + ending];
    const end = breakBefore(rest, max);
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return rest === "" && parts.length > 0 ? parts : [...parts, rest];
}

/** Returns the end of the last line or word within `max`, unless the part would then be shorter than half of `max`. */
function breakBefore(text: string, max: number): number {
  for (const separator of ["\n", " "]) {
    const at = text.lastIndexOf(separator, max);
    if (at > max / 2) return at;
  }
  return findSafeEnd(text, max);
}

/** Moves `end` back by one if it would split a surrogate pair. */
function findSafeEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/**
 * Parses JSON and replaces secrets in its strings. A server that the operator configured, or a proxy before it, can quote
 * the request in its response, and the response is shown to members.
 */
export function parseWithoutSecrets(body: Buffer, secrets: readonly string[]): unknown {
  return JSON.parse(body.toString("utf8"), (_, value: unknown) =>
    typeof value === "string" ? secrets.reduce((text, secret) => text.replaceAll(secret, "…"), value) : value,
  );
}
