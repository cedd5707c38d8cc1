/**
 * A value as JSON on one line that the model reads as data. Brackets and the line separators of Unicode are escaped in
 * its texts, so that no text can imitate the lines around it.
 */
export function quoteJson(value: unknown): string {
  return JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replace(
      /[[\]\u0085\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );
}
