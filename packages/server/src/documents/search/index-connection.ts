import Database from "better-sqlite3";
import { type DatabaseAddress, openSqliteFile } from "../../db/open.ts";

/** Values that both drivers accept and return in the same form. */
export type Value = string | number | Buffer | null;

/** A connection of an index thread. Statements use `?` as the parameter placeholder. */
export type IndexConnection = {
  kind: DatabaseAddress["kind"];
  all<Row>(sql: string, parameters?: readonly Value[]): Promise<Row[]>;
  /** Runs `work` on a consistent snapshot. */
  reading<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` in a transaction that may write. */
  writing<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** PostgreSQL cancels statements of these threads that take longer. */
const STATEMENT_TIMEOUT_MS = { read: 10_000, write: 60_000 };

/** @param mode `read` opens SQLite's file as read-only */
export async function connect(address: DatabaseAddress, mode: "read" | "write"): Promise<IndexConnection> {
  return address.kind === "sqlite" ? connectSqlite(address.file, mode) : connectPostgres(address.url, mode);
}

function connectSqlite(file: string, mode: "read" | "write"): IndexConnection {
  const database =
    mode === "read"
      ? new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 })
      : openSqliteFile(file);
  database.pragma("cache_size = -8000");
  const statements = new Map<string, Database.Statement>();
  const prepare = (sql: string) => {
    const cached = statements.get(sql);
    if (cached) return cached;
    if (statements.size >= 200) statements.clear();
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  const within = async <T>(begin: string, work: () => Promise<T>): Promise<T> => {
    database.exec(begin);
    try {
      const result = await work();
      database.exec("commit");
      return result;
    } catch (error) {
      if (database.inTransaction) database.exec("rollback");
      throw error;
    }
  };
  return {
    kind: "sqlite",
    async all<Row>(sql: string, parameters: readonly Value[] = []) {
      const statement = prepare(sql);
      if (statement.reader) return statement.all(...parameters) as Row[];
      statement.run(...parameters);
      return [];
    },
    reading: (work) => within("begin", work),
    writing: (work) => within("begin immediate", work),
    async close() {
      database.close();
    },
  };
}

async function connectPostgres(url: string, mode: "read" | "write"): Promise<IndexConnection> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({
    connectionString: url,
    statement_timeout: STATEMENT_TIMEOUT_MS[mode],
    query_timeout: STATEMENT_TIMEOUT_MS[mode] + 2_000,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text"),
    },
  });
  // The running query rejects as well, and an idle thread opens a new connection.
  client.on("error", () => {});
  await client.connect();
  const within = async <T>(begin: string, work: () => Promise<T>): Promise<T> => {
    await client.query(begin);
    try {
      const result = await work();
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback");
      throw error;
    }
  };
  return {
    kind: "postgres",
    async all<Row>(sql: string, parameters: readonly Value[] = []) {
      let index = 0;
      const text = sql.replace(/\?/g, () => `$${++index}`);
      return (await client.query(text, [...parameters])).rows as Row[];
    },
    reading: (work) => within("begin isolation level repeatable read read only", work),
    writing: (work) => within("begin", work),
    close: () => client.end(),
  };
}

/** The type id of PostgreSQL's `bigint`. Values stay below 2^53. */
const INT8 = 20;

/** `?, ?, ?` for a list of values. */
export const placeholders = (values: readonly unknown[]): string => values.map(() => "?").join(", ");
