import Database from "better-sqlite3";

/** Opens a connection with the pragmas that durability and integrity depend on. */
export function openSqliteFile(file: string) {
  const database = new Database(file, { timeout: 5_000 });
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  database.pragma("foreign_keys = ON");
  // Overwrites deleted content, so that the file does not keep the text of erased visitors.
  database.pragma("secure_delete = ON");
  database.pragma("cache_size = -32000");
  // SQLite's built-in `lower` supports only ASCII.
  database.function("lower", { deterministic: true }, (text) => (typeof text === "string" ? text.toLowerCase() : text));
  return database;
}
