import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const packageDir = join(root, "packages/widget");

/**
 * Compiles the code that loads the widget from its server, with its types, to `packages/widget/lib`. The packed package has no dependencies; the widget itself always comes from the server. Single-threaded for
 * the reason given in pack-sdk.ts.
 */
export function packWidget(): void {
  const lib = join(packageDir, "lib");
  rmSync(lib, { recursive: true, force: true });
  const options = [
    "--declaration",
    "--rewriteRelativeImportExtensions",
    "--skipLibCheck",
    "--verbatimModuleSyntax",
    "--singleThreaded",
  ];
  const target = ["--target", "ES2022", "--module", "NodeNext", "--types", "", "--ignoreConfig", "--outDir", lib];
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, join(packageDir, "src/index.ts"), ...options, ...target], { cwd: root });
  for (const name of readdirSync(lib).filter((name) => name.endsWith(".d.ts"))) {
    const path = join(lib, name);
    // The compiler keeps the specifiers of the sources in declarations.
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'));
  }
}
