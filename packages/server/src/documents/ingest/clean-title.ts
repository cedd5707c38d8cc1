/** Line breaks and control characters, NUL included, which PostgreSQL cannot store. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/**
 * Characters that are invisible or reverse the text around them, such as U+202E, which makes `exe.pdf` look like `fdp.exe`.
 * The joiners U+200C and U+200D are kept because Persian, Hindi and emoji need them.
 */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** Cleans a title that comes from a file name or a web page. May return an empty string. */
export function cleanTitle(title: string): string {
  return title.replace(INVISIBLE, "").replace(CONTROLS, " ").trim().toWellFormed();
}
