/**
 * Characters that are invisible to people but not to a model, such as the tags U+E0020 to U+E007E, which encode hidden
 * ASCII, and characters that reverse the text around them, such as U+202E, which makes `exe.pdf` look like `fdp.exe`.
 * The joiners U+200C and U+200D are kept because Persian, Hindi and emoji need them.
 */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e01ef}]/gu;

/** The text without invisible characters, for a model or a title. */
export function withoutInvisible(text: string): string {
  return text.replace(INVISIBLE, "");
}
