/** 5 MiB: what a file of a form may have, decoded. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;

/**
 * Takes a base64 data URL apart without decoding it: standard alphabet, with padding, and up to 500 characters for type
 * and parameters, which hold no comma. `size` is in bytes, decoded; `mediaType` is as `declaredType` gives it.
 * @returns null for anything else
 */
export function parseDataUrl(text: string): { mediaType: string; base64: string; size: number } | null {
  const prefix = /^data:[^,]{0,500};base64,/i.exec(text)?.[0];
  if (prefix === undefined) return null;
  // Engines share the memory of the whole text with a part as long as this.
  const base64 = text.slice(prefix.length);
  // No character of the alphabet is a padding, so a mismatch is found in one go.
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return null;
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return { mediaType: declaredType(prefix), base64, size: (base64.length / 4) * 3 - padding };
}

/** @param prefix a data URL up to its comma at least. @returns lower case, without parameters; "" for none */
export function declaredType(prefix: string): string {
  return prefix.slice("data:".length, prefix.search(/[;,]/)).trim().toLowerCase();
}
