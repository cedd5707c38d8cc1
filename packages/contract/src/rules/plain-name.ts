/**
 * Names of people and organizations appear in emails to strangers, so they must not contain text that an email client
 * turns into a link.
 */
export const maxNameLength = 60;

const lineBreak = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/**
 * A scheme, or a host name such as `evil.example`, which email clients link without one. "J. R. Smith" and "St. Gallen"
 * pass.
 */
const webAddress = /:\/\/|[\p{L}\p{N}]\.\p{L}{2,}/u;

/** Describes why the name of a person or an organization is refused; null when it is valid. */
export function findNameProblem(name: string): string | null {
  if (name.trim() === "") return "must not be blank";
  if (Array.from(name).length > maxNameLength) return `must be at most ${maxNameLength} characters long`;
  if (lineBreak.test(name)) return "must not contain line breaks or control characters";
  if (webAddress.test(name)) return "must not contain a web address";
  return null;
}

/** The closest valid name, for names from other sources; `fallback` when nothing remains. */
export function toPlainName(name: string, fallback: string): string {
  const words = name.split(/[\s\p{Cc}\p{Zl}\p{Zp}]+/u).filter((word) => word !== "" && !webAddress.test(word));
  return Array.from(words.join(" ")).slice(0, maxNameLength).join("").trim() || fallback;
}
