import { accessSync, chmodSync, constants, mkdtempSync, realpathSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Linux keeps the files in this folder in memory. */
const MEMORY = "/dev/shm";
/** The required free space, which is several times what the tests use. Containers often have only 64 MiB there. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * Lets the tests keep their databases and data directories in memory for the whole run. The server waits for the disk
 * after every commit, which took 3 ms, and the tests never stop the machine. Long runs use the disk, because they look
 * for faults with large amounts of data, which also do not fit into memory.
 */
export function setup(): (() => void) | undefined {
  if (process.env.FOYER_LARGE_RUN === "long" || !hasMemory()) return;
  const folder = mkdtempSync(join(MEMORY, "foyer-tests-"));
  // PostgreSQL runs as another user when the tests run as root.
  chmodSync(folder, 0o711);
  process.env.FOYER_TEST_FOLDER = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function hasMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}

/** The caller removes the folder. Benchmarks call this too, without `setup`, and get a folder on the disk. */
export function createTemporaryFolder(name: string): string {
  return mkdtempSync(join(process.env.FOYER_TEST_FOLDER ?? diskFolder(), `foyer-${name}-`));
}

/** PostgreSQL runs as another user when the tests run as root, and `mktemp -d` makes folders that only root can enter. */
function diskFolder(): string {
  return isPrivate(tmpdir()) ? "/tmp" : tmpdir();
}

/** Whether other users cannot enter the folder, or one that it is in. */
export function isPrivate(path: string): boolean {
  const folder = realpathSync(path);
  if ((statSync(folder).mode & constants.S_IXOTH) === 0) return true;
  return folder !== dirname(folder) && isPrivate(dirname(folder));
}
