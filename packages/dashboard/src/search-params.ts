/**
 * Parses JSON, but keeps a number as text if it would be serialized differently, such as a long id. Throws on invalid
 * JSON.
 */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (typeof value === "number" && String(value) !== text) throw new RangeError("not exact as a number");
  return value;
}

/** The highest page number that the server accepts with any page size. */
const MAX_PAGE = 1_000_000;

function isPageNumber(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 1 && Number(value) <= MAX_PAGE;
}

/** Keeps only a valid page number after the first. */
export function pageParam({ page }: Record<string, unknown>): { page?: number } {
  return isPageNumber(page) ? { page } : {};
}

/** Keeps only the named text parameters of a URL. */
export function stringParams<Name extends string>(...names: Name[]) {
  return (search: Record<string, unknown>): { [N in Name]?: string } =>
    Object.fromEntries(names.flatMap((name) => (search[name] === undefined ? [] : [[name, String(search[name])]]))) as {
      [N in Name]?: string;
    };
}
