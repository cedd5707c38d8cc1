import Database from "better-sqlite3";
import type { Client } from "pg";
import type { DatabaseAddress } from "../../db/database-kind.ts";
import { createPostgresServers } from "../../db/postgres-servers.ts";
import { openSqliteFile } from "../../db/sqlite/file.ts";

/** Values that both drivers accept and return in the same form. */
export type Value = string | number | Buffer | null;

/** A connection of an index thread. Statements use `?` as the parameter placeholder. */
export type IndexConnection = {
  kind: DatabaseAddress["kind"];
  all<Row>(sql: string, parameters?: readonly Value[]): Promise<Row[]>;
  /** Runs `work` on a consistent snapshot. Buffers in the rows that it reads are valid until the next call. */
  reading<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` in a transaction that may write. */
  writing<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Runs `work`, which uses its own transactions, unless another process runs work with this key. SQLite needs no lock:
   * one process uses its file, with one maintenance thread.
   */
  alone(key: string, work: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
};

/**
 * PostgreSQL cancels statements of these threads that take longer. The limit is set in each transaction, because
 * PgBouncer refuses connections that ask for it, and hands a session to other clients between two transactions.
 */
const STATEMENT_TIMEOUT_MS = { read: 10_000, write: 60_000 };
/** The client's timeout exceeds the server's by this time, so that the server's reason is reported. */
const CLIENT_MARGIN_MS = 2_000;
/** Distinguishes the advisory locks of `alone` from others. The number is arbitrary. */
const LOCK_CLASS = 730_195;

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
  const inTransaction = async <T>(begin: string, work: () => Promise<T>): Promise<T> => {
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
    reading: (work) => inTransaction("begin", work),
    writing: (work) => inTransaction("begin immediate", work),
    alone: (_, work) => work(),
    async close() {
      database.close();
    },
  };
}

async function connectPostgres(url: string, mode: "read" | "write"): Promise<IndexConnection> {
  const bytes = createByteReader();
  const servers = createPostgresServers(url);
  const open = () =>
    servers.connect(async (serverUrl) => {
      const opened = await createClient(serverUrl, { mode, bytes });
      try {
        await opened.connect();
        await servers.checkWritable(opened);
        return opened;
      } catch (error) {
        await opened.end();
        throw error;
      }
    });
  const client = await open();
  let lockHolder: Promise<Client> | null = null;
  return {
    kind: "postgres",
    async all<Row>(sql: string, parameters: readonly Value[] = []) {
      let index = 0;
      const text = sql.replace(/\?/g, () => `$${++index}`);
      return (await client.query(text, [...parameters])).rows as Row[];
    },
    reading(work) {
      bytes.reset();
      return readPipelined(client, work);
    },
    async writing(work) {
      await client.query(begin("begin", mode));
      try {
        const result = await work();
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback");
        throw error;
      }
    },
    async alone(key, work) {
      lockHolder ??= open();
      await withLock(await lockHolder, key, work);
    },
    async close() {
      await Promise.all([client.end(), lockHolder?.then((holder) => holder.end())]);
    },
  };
}

/**
 * Holds an advisory lock in a transaction on a separate connection. PgBouncer can hand a server connection to another
 * client, and a session lock would remain on that connection.
 */
async function withLock(holder: Client, key: string, work: () => Promise<void>): Promise<void> {
  await holder.query("begin");
  try {
    const asked = `select pg_try_advisory_xact_lock(${LOCK_CLASS}, hashtext($1)) as "isOurs"`;
    const { rows } = await holder.query<{ isOurs: boolean }>(asked, [key]);
    if (rows[0]?.isOurs) await work();
  } finally {
    await holder.query("rollback");
  }
}

/** Sends both statements in one round trip. */
const begin = (statement: string, mode: "read" | "write") =>
  `${statement}; set local statement_timeout = ${STATEMENT_TIMEOUT_MS[mode]}`;

/**
 * Sends the first statement of `work` together with `begin`, and does not wait for the end of the transaction. This
 * saves two of a search's five round trips. The next statement waits for the end.
 */
async function readPipelined<T>(client: Client, work: () => Promise<T>): Promise<T> {
  const begun = client.query(begin("begin isolation level repeatable read read only", "read"));
  // This promise is awaited below. If it has failed, `work` fails as well, and this handler prevents an unhandled
  // rejection.
  begun.catch(() => {});
  try {
    const result = await work();
    await begun;
    return result;
  } finally {
    client.query("rollback").catch(() => {});
  }
}

async function createClient(connectionString: string, { mode, bytes }: ClientOptions): Promise<Client> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({
    connectionString,
    query_timeout: STATEMENT_TIMEOUT_MS[mode] + CLIENT_MARGIN_MS,
    keepAlive: true,
    pipeline: mode === "read",
    connectionTimeoutMillis: 5_000,
    types: {
      getTypeParser(oid: number, format?: "text" | "binary") {
        if (oid === INT8) return Number;
        return oid === BYTEA && mode === "read" ? bytes.parse : pg.types.getTypeParser(oid, format as "text");
      },
    },
  });
  // The running query rejects as well, and an idle thread opens a new connection, so nothing else has to be done.
  client.on("error", () => {});
  return client;
}

type ClientOptions = { mode: "read" | "write"; bytes: ReturnType<typeof createByteReader> };

/** The type id of PostgreSQL's `bigint`. Values stay below 2^53. */
const INT8 = 20;
const BYTEA = 17;
/**
 * The size of the buffer, which exceeds what a search of a large index reads. The operating system provides the memory
 * only when it is used.
 */
const SCRATCH_BYTES = 4_000_000;

/**
 * Reads `bytea` values into a buffer that the next search reuses. A search reads up to 1.2 MB of postings. With a new
 * buffer for each value, every twentieth search of 100,000 passages waited for a garbage collection of 30 ms.
 */
function createByteReader() {
  let scratch: Buffer | null = null;
  let used = 0;
  return {
    /** @param text `\x` and hexadecimal digits */
    parse(text: string): Buffer {
      // A server with `bytea_output = escape` sends octal digits.
      if (!text.startsWith("\\x")) return parseEscaped(text);
      const length = (text.length - 2) / 2;
      const digits = text.slice(2);
      if (used + length > SCRATCH_BYTES) return Buffer.from(digits, "hex");
      scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
      scratch.write(digits, used, "hex");
      used += length;
      return scratch.subarray(used - length, used);
    },
    reset(): void {
      used = 0;
    },
  };
}

/** Every byte is itself, or a backslash as `\\`, or `\` and three octal digits. */
function parseEscaped(text: string): Buffer {
  const bytes = text.replace(/\\(\\|[0-3][0-7]{2})/g, (_, code: string) =>
    code === "\\" ? code : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(bytes, "latin1");
}

/** Returns `?, ?, ?` for a list of values. */
export const placeholders = (values: readonly unknown[]): string => values.map(() => "?").join(", ");
