/**
 * JSON of a value, like `JSON.stringify`. Old libraries (Prototype before 1.7) define `toJSON` for every array and
 * object of a page, which turns lists into text. Only the methods of a value's own class are called here.
 */
export function toJson(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === "function" && !isOfEveryObject(toJSON)) return toJson(toJSON.call(value, ""));
  if (Array.isArray(value)) return `[${[...value].map((item) => toJson(item) ?? "null").join()}]`;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = toJson(member);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join()}}`;
}

/** Whether a `toJSON` method was added to the prototype of all objects or of all arrays. */
export function isOfEveryObject(toJSON: unknown): boolean {
  return [Object.prototype, Array.prototype].some((prototype) => Reflect.get(prototype, "toJSON") === toJSON);
}
