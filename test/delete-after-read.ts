import type { Db } from "../packages/server/src/db/open.ts";

/**
 * A database in which a row disappears after the last read that found it and before the write that follows, as when
 * another request deletes it at that moment.
 */
export function deleteAfterRead(db: Db, table: "teams", id: string): Db {
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      const isFound = result.rows.some((row) => row.id === id || row.teamId === id || row.userId !== undefined);
      if (isFound) await db.deleteFrom(table).where("id", "=", id).execute();
      return result;
    },
  });
}
