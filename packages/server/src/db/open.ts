import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { Kysely, PostgresDialect, type PostgresPoolClient } from "kysely";
import type { ClientConfig, PoolClient, QueryConfig } from "pg";
import { isUnavailable } from "./database-errors.ts";
import type { DatabaseAddress, DatabaseKind } from "./database-kind.ts";
import { createPostgresServers } from "./postgres-servers.ts";
import { createSqliteDialect } from "./sqlite/dialect.ts";
import { emptyWal, openSqliteFile } from "./sqlite/file.ts";
import { createLogSync } from "./sqlite/log-sync.ts";
import { currentStatementTimeout } from "./statement-timeout.ts";
import type { Tables } from "./tables.ts";

export type Db = Kysely<Tables>;

export type OpenDatabase = { db: Db; kind: DatabaseKind; address: DatabaseAddress };

/** Opens the database and creates a missing SQLite file and folder. Throws when the SQLite file cannot be opened. */
export function openDatabase(address: DatabaseAddress, onPoolError: (error: Error) => void): OpenDatabase {
  const dialect = address.kind === "sqlite" ? openSqlite(address.file) : openPostgres(address.url, onPoolError);
  return { db: new Kysely<Tables>({ dialect }), kind: address.kind, address };
}

function openSqlite(file: string) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  makePrivate(file);
  const database = openSqliteFile(file);
  emptyLeftoverWal(database);
  // A commit only writes to the log. The dialect has it synced to the disk without blocking the event loop.
  database.pragma("synchronous = NORMAL");
  // The log is beside the file that a symbolic link points to.
  return createSqliteDialect(database, createLogSync(realpathSync(file)));
}

/**
 * A log that a killed process left behind may exist only in the system's cache, because the disk failed to write it.
 * Commits that are appended to such a log would be lost with it.
 */
function emptyLeftoverWal(database: Database.Database): void {
  try {
    emptyWal(database);
  } catch (error) {
    // The disk is full, but the data can still be read.
    if ((error as { code?: string }).code !== "SQLITE_FULL") throw error;
  }
}

/**
 * Restricts the database to its owner, because the folder may be a volume that others can read. SQLite gives the files
 * that it adds later (`-wal`, `-shm`) the mode of the database file.
 */
function makePrivate(file: string): void {
  // Do not open an existing file, because closing any of its descriptors releases all locks that this process has on
  // it, including those of an open connection.
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    if (!existsSync(path)) continue;
    try {
      chmodSync(path, 0o600);
    } catch (error) {
      // A mounted volume may belong to another user or not support modes. The data is still usable.
      if (!["EPERM", "ENOTSUP", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}

/** `pg` is loaded on first use, because servers on SQLite never need it. */
function openPostgres(url: string, onPoolError: (error: Error) => void) {
  const connect = async () => {
    const { default: pg } = await import("pg");
    const servers = createPostgresServers(url);
    const pool = new pg.Pool({
      // Connections are opened one by one, each to the server that is the primary then.
      Client: class extends pg.Client {
        constructor(config?: ClientConfig) {
          super({
            ...config,
            connectionString: servers.current(),
            connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
          });
        }
      },
      verify: (client, done) => void servers.checkWritable(client).then(() => done(), done),
      max: 10,
      connectionTimeoutMillis: POOL_TIMEOUT_MS,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      query_timeout: QUERY_TIMEOUT_MS,
      types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
    });
    pool.on("error", onPoolError);
    // The pool handles errors of idle clients only, and an unhandled `error` event ends the process. A query on the
    // client reports the same error to its caller.
    pool.on("connect", (client) => client.on("error", () => {}));
    return {
      connect: async () => withoutDead(await servers.connect(() => pool.connect())),
      end: () => pool.end(),
      options: pool.options,
    };
  };
  return new PostgresDialect({ pool: connect });
}

/** An unreachable server fails after this time. */
const CONNECTION_TIMEOUT_MS = 2_000;

/**
 * The time that a query waits for one of the pool's connections. It is longer than the timeout of queries, because the
 * queries before it may only be slow, and a late answer is better than none.
 */
const POOL_TIMEOUT_MS = 10_000;

/** The timeout of ordinary queries. They use an index, so a query that takes longer has lost its connection. */
const QUERY_TIMEOUT_MS = 5_000;

/**
 * Discards a client whose query timed out. It is still waiting for its server, so the next request must not reuse it.
 */
function withoutDead(client: PoolClient): PostgresPoolClient {
  let isDead = false;
  const query = async (text: string, values: unknown[]) => {
    const query_timeout = currentStatementTimeout();
    try {
      return await (query_timeout
        ? client.query({ text, values, query_timeout } as QueryConfig)
        : client.query(text, values));
    } catch (error) {
      isDead ||= isUnavailable(error);
      throw error;
    }
  };
  return Object.assign(Object.create(client) as PoolClient, { query, release: () => client.release(isDead) });
}

/** The type id of PostgreSQL's `bigint`. Our timestamps and counters stay below 2^53. */
const INT8 = 20;
