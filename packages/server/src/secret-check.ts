import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Config } from "./config.ts";
import type { Deps } from "./deps.ts";
import { secretFileName } from "./encryption.ts";

type Place = Pick<Config, "secret" | "dataDir" | "database">;

/**
 * Refuses an empty database beside a secret that was generated for another one: its data is missing, and a new
 * installation would hide that. A new installation creates its database first, so concurrent starts pass.
 * @throws an Error for the operator
 */
export function requireDatabaseOfSecret({ secret, dataDir, database }: Place): void {
  if (secret !== null || database.kind !== "sqlite") return;
  const secretFile = join(dataDir, secretFileName);
  if (!existsSync(secretFile) || hasContent(database.file)) return;
  throw new Error(
    `The database ${database.file} is missing or empty, but its secret ${secretFile} exists. Restore the database from a backup. For a new installation, move ${secretFile} to another folder first.`,
  );
}

/**
 * Refuses to generate a secret for a database that was created with another one.
 * @throws an Error for the operator
 */
export function requireSecretOfDatabase({ secret, dataDir, database }: Place): void {
  if (secret !== null || database.kind !== "sqlite") return;
  const secretFile = join(dataDir, secretFileName);
  // The file is read last, because another process that starts creates the secret before the tables.
  if (existsSync(secretFile) || !hasContent(database.file) || !hasTables(database.file)) return;
  if (existsSync(secretFile)) return;
  throw new Error(
    `The secret of the database ${database.file} is missing: there is no file ${secretFile}, and FOYER_SECRET is not set. Restore the file from the backup that has the database, or set FOYER_SECRET if you did before.`,
  );
}

function hasContent(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0;
}

function hasTables(file: string): boolean {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare("select 1 from sqlite_master where name = 'migrations'").get() !== undefined;
  } finally {
    database.close();
  }
}

/**
 * Checks that the server has the secret with which the database was encrypted. The first start stores a value for it.
 * @throws an Error for the operator that names the file or the variable
 */
export async function checkSecret({ db, encryption, config }: Pick<Deps, "db" | "encryption" | "config">) {
  const value = encryption.sign("secret-check", "");
  const read = () => db.selectFrom("secretChecks").select("value").where("id", "=", 1).executeTakeFirst();
  let stored = await read();
  if (!stored && (await decryptsNewestAgent({ db, encryption }))) {
    // Another process that starts may have stored its value first.
    await db
      .insertInto("secretChecks")
      .values({ id: 1, value })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
    stored = await read();
  }
  if (stored?.value === value) return;
  const file = join(config.dataDir, secretFileName);
  throw new Error(
    config.secret === null
      ? `The file ${file} is not the secret with which this database was encrypted. Restore the file from the backup that has the database, or set FOYER_SECRET if you did before.`
      : `FOYER_SECRET is not the secret with which this database was encrypted. Set the previous value. If the variable was not set before, remove it and restore the file ${file}.`,
  );
}

/** Databases of earlier versions have no value to compare, but every agent has a secret that only this server reads. */
async function decryptsNewestAgent({ db, encryption }: Pick<Deps, "db" | "encryption">): Promise<boolean> {
  const agent = await db
    .selectFrom("agents")
    .select(["id", "identitySecret"])
    .orderBy("createdAt", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!agent) return true;
  try {
    encryption.decrypt(agent.identitySecret, agent.id);
    return true;
  } catch {
    return false;
  }
}
