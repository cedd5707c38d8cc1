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
import { emptyWal } from "./file.ts";
import type { LogSync } from "./log-sync.ts";

/**
 * The minimum time between two attempts to continue after the log could not be written to the disk, in milliseconds.
 */
const REPAIR_MS = 100;

/**
 * Kysely's dialect for the server's connection to SQLite. It differs from Kysely's own in four ways:
 * - Prepared statements are cached, because preparing costs as much as running.
 * - SQLite does not plan them again at each run.
 * - Transactions begin with the write lock.
 * - A query or transaction resolves only after the data that it wrote or read is on the disk. The event loop does not
 *   block meanwhile.
 */
export function createSqliteDialect(database: Database.Database, log: LogSync): Dialect {
  return {
    createAdapter: () => new QueuedAdapter(),
    createDriver: () => createDriver(database, log),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new ParameterCompiler(),
  };
}

/**
 * Keeps Kysely from queueing for the connection. Its queue admits the next caller only after `releaseConnection`, so
 * two transactions could never share a sync of the log.
 */
class QueuedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true;
  }
}

/**
 * Writes each parameter as `+?`, which has the same value as `?`. When SQLite plans a query, it compares a bare `?`
 * with other expressions and assumes afterwards that the plan depends on the value. It then plans the query again each
 * time it runs, which can take as long as running it. This happens, for instance, to a query that filters by equality
 * and sorts.
 */
class ParameterCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "+?";
  }
}

function createDriver(database: Database.Database, log: LogSync): Driver {
  const prepare = createStatementCache(database);
  const queue: Array<() => void> = [];
  let isTaken = false;
  let hasWritten = false;
  let triedAt = Number.NEGATIVE_INFINITY;

  function pass(): void {
    const next = queue.shift();
    if (next) next();
    else isTaken = false;
  }

  /**
   * After a failed write of the log, its contents may exist only in the system's cache, and no later write would
   * include them. Moves them to the database file, which SQLite writes to the disk, before anything else can be
   * committed.
   * @throws while this fails
   */
  function repair(failure: Error): void {
    if (performance.now() - triedAt < REPAIR_MS) throw failure;
    triedAt = performance.now();
    if (!emptyWal(database)) throw failure;
    log.repaired();
  }

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
      const failure = log.failure();
      if (failure === null) return connection;
      try {
        repair(failure);
        return connection;
      } catch (error) {
        pass();
        throw error;
      }
    },
    async beginTransaction() {
      // Begin with the write lock. Otherwise, a transaction that reads first and writes later would fail immediately if
      // a thread has written in between. With the lock, it waits for the thread instead.
      prepare("begin immediate").run();
    },
    async commitTransaction() {
      const failure = log.failure();
      if (failure) throw failure;
      prepare("commit").run();
    },
    async rollbackTransaction() {
      await connection.executeQuery(CompiledQuery.raw("rollback"));
      hasWritten = false;
    },
    async releaseConnection() {
      const isSynced = hasWritten ? log.sync() : log.pending();
      hasWritten = false;
      pass();
      await isSynced;
    },
    async destroy() {
      await log.close();
      database.close();
    },
  };
}

function createStatementCache(database: Database.Database) {
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
