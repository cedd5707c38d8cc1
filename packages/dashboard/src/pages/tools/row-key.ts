const key: unique symbol = Symbol("key");
let last = 0;

/**
 * A row of a list that is being edited. Its key survives changes and moves (`{ ...row, name }`), but a symbol property
 * is not serialized, so it appears neither in comparisons nor in requests.
 */
export type Keyed<Row> = Row & { readonly [key]?: number };

export function withKey<Row extends object>(row: Row): Keyed<Row> {
  last += 1;
  return { ...row, [key]: last };
}

export function rowKey(row: Keyed<object>): number {
  return row[key] ?? 0;
}

/**
 * Returns the row with some values replaced. Undefined values are removed, because optional properties do not accept
 * undefined.
 */
export function withPart<Row extends object>(row: Row, part: { [Name in keyof Row]?: Row[Name] | undefined }): Row {
  const next: Record<PropertyKey, unknown> = { ...row, ...part };
  for (const name of Object.keys(next)) if (next[name] === undefined) delete next[name];
  return next as Row;
}
