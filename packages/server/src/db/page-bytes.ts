/** Returns the first rows that together do not exceed `maxBytes`, but at least one row. */
export function takeWithinBytes<Row extends { bytes: number }>(rows: readonly Row[], maxBytes: number): Row[] {
  let left = maxBytes;
  const end = rows.findIndex(({ bytes }, index) => {
    left -= Number(bytes);
    return left < 0 && index > 0;
  });
  return rows.slice(0, end === -1 ? rows.length : end);
}
