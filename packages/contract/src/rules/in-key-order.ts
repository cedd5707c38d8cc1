/** A replacer for `JSON.stringify` that sorts the keys of objects, so that equal values have the same text. */
export function inKeyOrder(_key: string, value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}
