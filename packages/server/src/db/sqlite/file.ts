import Database from "better-sqlite3";

/** How long a connection waits for a lock, in milliseconds. */
const BUSY_MS = 5_000;

/** Opens a connection with the pragmas that durability and integrity depend on. */
export function openSqliteFile(file: string) {
  const database = new Database(file, { timeout: BUSY_MS });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  // Overwrites deleted content, so that the file does not keep the text of erased visitors.
  database.pragma("secure_delete = ON");
  // In KiB. The operating system keeps the rest of the file in memory, where all connections share it.
  database.pragma("cache_size = -8000");
  // SQLite's built-in `lower` supports only ASCII.
  database.function("lower", { deterministic: true }, (text) => (typeof text === "string" ? text.toLowerCase() : text));
  return database;
}

/**
 * Moves everything that was committed from the write-ahead log to the database file on the disk, and empties the log.
 * @returns false when another connection still needs the log
 */
export function emptyWal(database: Database.Database): boolean {
  // Without a busy timeout, the attempt ends immediately when a reader still needs the log. With a longer one, it would
  // keep a lock for which other writes wait.
  database.pragma("busy_timeout = 0");
  try {
    // Copies nearly everything without a lock, so that truncating the log takes a few milliseconds.
    database.pragma("wal_checkpoint(PASSIVE)");
    const [result] = database.pragma("wal_checkpoint(TRUNCATE)") as Array<{ busy: number }>;
    return result?.busy === 0;
  } finally {
    database.pragma(`busy_timeout = ${BUSY_MS}`);
  }
}
