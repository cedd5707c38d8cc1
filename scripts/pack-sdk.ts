import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const root = join(import.meta.dirname, "..");
const source = join(root, "packages/sdk");

/**
 * Makes the package as others install it: JavaScript and declarations, those of the contract among them, in a folder of
 * its own. The package in the repository stays private and made of sources, so that nothing has to be built to work on it.
 *
 * @param folder is replaced
 */
export function packSdk(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const lib = join(folder, "lib");
  const emitted = join(folder, "emitted");
  mkdirSync(emitted, { recursive: true });
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", join(source, "tsconfig.build.json"), "--outDir", emitted], { cwd: root });
  renameSync(join(emitted, "sdk/src"), lib);
  mkdirSync(join(lib, "contract"));
  for (const path of globSync(join(emitted, "contract/src/*.d.ts"))) {
    renameSync(path, join(lib, "contract", basename(path)));
  }
  rmSync(emitted, { recursive: true });
  cpSync(join(source, "publish/typebox.d.ts"), join(lib, "contract/typebox.d.ts"));
  for (const path of globSync(join(lib, "**/*.d.ts"))) rewrite(path, dirname(path) === lib ? "./contract/" : "./");
  cpSync(join(source, "README.md"), join(folder, "README.md"));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), null, 2)}\n`);
}

/** Declarations keep the names of the sources; nothing but what is in the package may be named. */
function rewrite(path: string, contract: string) {
  const text = readFileSync(path, "utf8")
    .replaceAll(/(["'])(\.{1,2}\/[^"']+)\.ts\1/g, '"$2.js"')
    .replaceAll(/(["'])@foyer\/contract\1/g, `"${contract}index.js"`)
    .replaceAll(/(["'])typebox\1/g, `"${contract}typebox.js"`);
  writeFileSync(path, text);
}

function manifest() {
  const { private: _, devDependencies: __, ...own } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  return {
    ...own,
    exports: { ".": { types: "./lib/index.d.ts", default: "./lib/index.js" } },
    types: "./lib/index.d.ts",
    files: ["lib"],
  };
}

if (import.meta.main) {
  const folder = join(source, "dist");
  packSdk(folder);
  console.log(`The package is in ${folder}: publish it with "npm publish packages/sdk/dist".`);
}
