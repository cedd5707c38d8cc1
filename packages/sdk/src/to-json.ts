/**
 * JSON of a value, like `JSON.stringify`. Old libraries (Prototype before 1.7) define `toJSON` for every array and
 * object of a page, which turns lists into text. Only the methods of a value's own class are called here.
 */
export function toJson(value: unknown): string | undefined {
  return JSON.stringify(value, function (this: Record<string, unknown>, name, converted) {
    const own = this[name] as { toJSON?: unknown } | null | undefined;
    return isOfEveryObject(own?.toJSON) ? own : converted;
  });
}

/** Whether a `toJSON` method was added to the prototype of all objects or of all arrays. */
export function isOfEveryObject(toJSON: unknown): boolean {
  const isOf = ({ prototype }: { prototype: object & { toJSON?: unknown } }) => prototype.toJSON === toJSON;
  return toJSON !== undefined && [Object, Array].some(isOf);
}
