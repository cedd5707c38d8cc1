import { inKeyOrder } from "@foyer/contract/rules/in-key-order";

/** The given settings that differ from the stored ones. What is not given keeps its value. */
export function differingKeys<Given extends object>(given: Given, stored: object): Partial<Given> {
  const known = new Map(Object.entries(stored));
  const entries = Object.entries(given).filter(
    ([name, value]) => value !== undefined && !isEqual(value, known.get(name)),
  );
  return Object.fromEntries(entries) as Partial<Given>;
}

const isEqual = (a: unknown, b: unknown) => JSON.stringify(a, inKeyOrder) === JSON.stringify(b, inKeyOrder);
