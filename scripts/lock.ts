import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Removes what packages require of Node.js from the lock file. npm would compare it with the Node.js that only installs
 * them, and print a warning for each package that needs the newer one on which Foyer runs. `lock.test.ts` compares it
 * with that one instead.
 */
const path = join(import.meta.dirname, "../package-lock.json");
const lock: { packages: Record<string, { engines?: object }> } = JSON.parse(readFileSync(path, "utf8"));
for (const [place, entry] of Object.entries(lock.packages)) {
  if (place.includes("node_modules/")) delete entry.engines;
}
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
