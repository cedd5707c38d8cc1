import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * Checks that this process may write to the data folder and to every file in it, because SQLite's own errors name
 * neither the file nor the reason.
 * @throws an Error for the operator that names the path
 */
export function requireWritable(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  requireAccess(dataDir);
  for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
    if (entry.isFile()) requireAccess(join(dataDir, entry.name));
  }
}

function requireAccess(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Explains an error such as `EACCES` or `EROFS` of a path in the data folder. */
export function unwritable(path: string, error: unknown): Error {
  const user = process.getuid ? `the user with the id ${process.getuid()}` : "the user";
  const reason = (error as NodeJS.ErrnoException).code ?? error;
  return new Error(
    `${path} cannot be read and written (${reason}). Make it writable for ${user}, who runs Foyer, or set FOYER_DATA_DIR to another folder.`,
    { cause: error },
  );
}
