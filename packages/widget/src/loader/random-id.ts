/**
 * 128 random bits. `crypto.randomUUID` is not available on pages served over plain HTTP, and `Array.from` may be a
 * library's own function that ignores its second argument.
 */
export function randomId(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
