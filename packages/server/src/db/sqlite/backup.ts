import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DAY_MS } from "@foyer/contract/rules/time";
import Database from "better-sqlite3";
import { secretFileName } from "../../encryption.ts";

/**
 * How long the data that a restore replaced is kept. It must not be kept forever, because it contains visitors who are
 * erased later.
 */
export const PREVIOUS_DATA_DAYS = 30;
const PREVIOUS_DATA = "before-restore-";
/** The prefix of the folder in which a backup is prepared. A command that is killed leaves it behind. */
export const RESTORING = "restoring-";
/**
 * Matches exactly the names that a restore creates. A folder with any other name, such as a renamed one, is never
 * deleted.
 */
const restoreFolderName = new RegExp(
  `^(${PREVIOUS_DATA}\\d{4}-\\d\\d-\\d\\dT\\d\\d-\\d\\d-\\d\\d-\\d{3}Z|${RESTORING}\\w{6})$`,
);

/** The database's name inside a backup folder. */
const DATABASE = "foyer.sqlite";

/**
 * Copies a running SQLite database, and the generated secret that decrypts its values, into a folder.
 * @throws when the folder already contains a backup
 */
export async function backUp(file: string, dataDir: string, folder: string): Promise<void> {
  const target = join(folder, DATABASE);
  if (existsSync(target)) throw new Error(`${folder} already contains a backup. Choose another folder.`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const source = new Database(file, { fileMustExist: true });
  try {
    await source.backup(target);
    chmodSync(target, 0o600);
    copySecret(dataDir, join(folder, secretFileName));
  } catch (error) {
    // Half a backup would keep the next attempt from using the folder.
    rmSync(target, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The backup could not be written to ${folder}: ${reason}`, { cause: error });
  } finally {
    source.close();
  }
}

/** @returns false when there is no generated secret, because the operator has set FOYER_SECRET */
function copySecret(fromFolder: string, target: string): boolean {
  const secret = join(fromFolder, secretFileName);
  if (!existsSync(secret)) return false;
  copyFileSync(secret, target);
  chmodSync(target, 0o600);
  return true;
}

/**
 * Replaces the data with a backup and keeps the previous data beside it. The secret is written before the database,
 * which SQLite replaces in one transaction, and only gets its name afterwards. The caller holds the data folder's lock,
 * so no server is running. @returns the folder of the previous data
 */
export async function restore(file: string, dataDir: string, folder: string): Promise<string> {
  const source = openBackup(join(folder, DATABASE));
  try {
    const previousDir = join(dataDir, `${PREVIOUS_DATA}${new Date().toISOString().replace(/[:.]/g, "-")}`);
    if (existsSync(file)) await backUp(file, dataDir, previousDir);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const newSecret = `${secretFileName}.new`;
    const hasSecret = copySecret(folder, join(dataDir, newSecret));
    await source.backup(file);
    if (hasSecret) renameSync(join(dataDir, newSecret), join(dataDir, secretFileName));
    return previousDir;
  } finally {
    source.close();
  }
}

/**
 * Deletes data that a restore replaced more than `PREVIOUS_DATA_DAYS` before `now` (milliseconds).
 * @returns the number of deleted folders
 */
export async function deletePreviousData(dataDir: string, now: number): Promise<number> {
  const entries = await readdir(dataDir, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  let deleted = 0;
  for (const entry of entries) {
    if (!entry.isDirectory() || !restoreFolderName.test(entry.name)) continue;
    const folder = join(dataDir, entry.name);
    if ((await stat(folder)).mtimeMs > now - PREVIOUS_DATA_DAYS * DAY_MS) continue;
    await rm(folder, { recursive: true });
    deleted++;
  }
  return deleted;
}

/** @throws when the file is missing, damaged, or not Foyer's */
function openBackup(file: string): Database.Database {
  if (!existsSync(file)) throw new Error(`There is no backup at ${file}.`);
  const database = new Database(file, { readonly: true });
  try {
    const intact = database.pragma("integrity_check", { simple: true });
    if (intact !== "ok") throw new Error(`The backup is damaged: ${intact}`);
    database.prepare("select count(*) from migrations").get();
    return database;
  } catch (error) {
    database.close();
    throw new Error(`${file} is not a Foyer backup: ${error instanceof Error ? error.message : error}`);
  }
}
