const key: unique symbol = Symbol("key");
let last = 0;

/**
 * A row of a list that is being edited. Its key goes along when it is changed or moved (`{ ...row, name }`), and is in no JSON, so that what
 * was changed and what is sent know nothing of it.
 */
export type Keyed<Row> = Row & { readonly [key]?: number };

export function keyed<Row extends object>(row: Row): Keyed<Row> {
  last += 1;
  return { ...row, [key]: last };
}

export function keyOf(row: Keyed<object>): number {
  return row[key] ?? 0;
}

/** The row with some of its values replaced; what is undefined is taken out, as optional properties want it. */
export function withPart<Row extends object>(row: Row, part: { [Name in keyof Row]?: Row[Name] | undefined }): Row {
  const next: Record<PropertyKey, unknown> = { ...row, ...part };
  for (const name of Object.keys(next)) if (next[name] === undefined) delete next[name];
  return next as Row;
}
