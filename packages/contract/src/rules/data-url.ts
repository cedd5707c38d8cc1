/** 5 MiB, the maximum decoded size of a file in a form. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;

/**
 * Splits a base64 data URL without decoding it: standard alphabet, with padding, and up to 500 characters for type and
 * parameters, without commas. `size` is the decoded size in bytes; `mediaType` is the result of `declaredType`.
 * @returns null for anything else
 */
export function parseDataUrl(text: string): { mediaType: string; base64: string; size: number } | null {
  const prefix = /^data:[^,]{0,500};base64,/i.exec(text)?.[0];
  if (prefix === undefined) return null;
  // JavaScript engines do not copy such a long substring: it shares the memory of the text.
  const base64 = text.slice(prefix.length);
  // The alphabet contains no padding character, so this never backtracks.
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return null;
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return { mediaType: declaredType(prefix), base64, size: (base64.length / 4) * 3 - padding };
}

/**
 * @param prefix a data URL, at least up to its comma
 * @returns the media type in lower case, without parameters; "" when there is none
 */
export function declaredType(prefix: string): string {
  return prefix.slice("data:".length, prefix.search(/[;,]/)).trim().toLowerCase();
}
