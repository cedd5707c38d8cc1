import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "..");
const source = join(root, "packages/sdk");

/**
 * Compiles the SDK to `packages/sdk/lib`: JavaScript and declarations, those of the contract included, so that the
 * packed package depends on nothing. Inside this repository the condition `foyer-source` of the
 * package's `exports` selects the sources instead, so nothing has to be built to work on it.
 */
export function packSdk(): void {
  const lib = join(source, "lib");
  const emitted = join(source, "emitted");
  rmSync(lib, { recursive: true, force: true });
  rmSync(emitted, { recursive: true, force: true });
  mkdirSync(emitted);
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  // TypeScript 7 writes files in parallel and sometimes loses those of a folder that does not exist yet.
  const options = ["-p", join(source, "tsconfig.build.json"), "--outDir", emitted, "--singleThreaded"];
  execFileSync(process.execPath, [tsc, ...options], { cwd: root });
  renameSync(join(emitted, "sdk/src"), lib);
  const contract = join(emitted, "contract/src");
  for (const path of globSync("**/*.d.ts", { cwd: contract })) {
    mkdirSync(dirname(join(lib, "contract", path)), { recursive: true });
    renameSync(join(contract, path), join(lib, "contract", path));
  }
  rmSync(emitted, { recursive: true });
  cpSync(join(source, "publish/typebox.d.ts"), join(lib, "contract/typebox.d.ts"));
  for (const path of globSync(join(lib, "**/*.d.ts")))
    rewrite(path, `./${relative(dirname(path), join(lib, "contract"))}`);
}

/** The compiler keeps the source specifiers in declarations. They must point to files of the package. */
function rewrite(path: string, contract: string) {
  const text = readFileSync(path, "utf8")
    .replaceAll(/(["'])(\.{1,2}\/[^"']+)\.ts\1/g, '"$2.js"')
    .replaceAll(/(["'])@foyer\/contract\1/g, `"${contract}/index.js"`)
    .replaceAll(/(["'])typebox\1/g, `"${contract}/typebox.js"`);
  writeFileSync(path, text);
}
