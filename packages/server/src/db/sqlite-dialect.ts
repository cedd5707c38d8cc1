import type Database from "better-sqlite3";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { LogSync } from "./log-sync.ts";

/**
 * Kysely's dialect for the server's connection to SQLite. It differs from Kysely's own in three ways: it caches prepared
 * statements, because preparing costs as much as running; it begins transactions with the write lock; and a query or a
 * transaction resolves only when what it wrote or saw is on the disk, for which the event loop does not wait.
 */
export function createSqliteDialect(database: Database.Database, log: LogSync): Dialect {
  return {
    createAdapter: () => new QueuedAdapter(),
    createDriver: () => createDriver(database, log),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/**
 * Keeps Kysely from queueing for the connection. Its queue lets the next caller in only after `releaseConnection`, and so
 * no two transactions could share a sync of the log.
 */
class QueuedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true;
  }
}

function createDriver(database: Database.Database, log: LogSync): Driver {
  const prepare = statementCache(database);
  const queue: Array<() => void> = [];
  let isTaken = false;
  let hasWritten = false;
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const statement = prepare(sql);
      hasWritten ||= !statement.readonly;
      if (statement.reader) return { rows: statement.all(parameters) as Row[] };
      const { changes, lastInsertRowid } = statement.run(parameters);
      return { insertId: BigInt(lastInsertRowid), numAffectedRows: BigInt(changes), rows: [] };
    },
    // biome-ignore lint/correctness/useYield: the interface requires a generator
    async *streamQuery() {
      throw new Error("Streaming queries is not supported. Read in pages instead.");
    },
  };
  return {
    async init() {},
    async acquireConnection() {
      if (isTaken) await new Promise<void>((resolve) => queue.push(resolve));
      isTaken = true;
      return connection;
    },
    async beginTransaction() {
      // A transaction that reads first and writes later fails immediately if a thread has written in between. With the
      // lock from the beginning, it waits for the thread instead.
      prepare("begin immediate").run();
    },
    async commitTransaction() {
      prepare("commit").run();
    },
    async rollbackTransaction() {
      await connection.executeQuery(CompiledQuery.raw("rollback"));
      hasWritten = false;
    },
    async releaseConnection() {
      const isSynced = hasWritten ? log.sync() : log.pending();
      hasWritten = false;
      const next = queue.shift();
      if (next) next();
      else isTaken = false;
      await isSynced;
    },
    async destroy() {
      await log.close();
      database.close();
    },
  };
}

function statementCache(database: Database.Database) {
  const statements = new Map<string, Database.Statement>();
  const noRollback = database.prepare("select 1 where 0");
  return (sql: string): Database.Statement => {
    // SQLite rolls back by itself when the disk is full or failing. A second rollback would fail and hide the cause.
    if (sql === "rollback" && !database.inTransaction) return noRollback;
    const cached = statements.get(sql);
    if (cached) return cached;
    if (statements.size >= 500) statements.clear();
    const statement = database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
}
