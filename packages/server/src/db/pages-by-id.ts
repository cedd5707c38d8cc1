import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Reads rows in pages, in the order of their ids. Yields to other requests between two pages, because SQLite runs in
 * this process.
 * @param read returns the first `size` rows with an id after `after`, in the order of their ids
 */
export async function* readPagesById<Row extends { id: string }>(
  size: number,
  read: (after: string) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after = ""; ; ) {
    const rows = await read(after);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    if (rows.length < size) return;
    after = last.id;
    await nextTurn();
  }
}
