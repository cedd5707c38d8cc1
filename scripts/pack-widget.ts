import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const packageDir = join(root, "packages/widget");

/**
 * Makes the folder that `npm publish` takes: what loads the widget from its server, with types. It depends on nothing,
 * while the workspace's own package needs all that the widget is built from.
 */
export function packWidget(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const options = ["--declaration", "--rewriteRelativeImportExtensions", "--skipLibCheck", "--verbatimModuleSyntax"];
  const target = ["--target", "ES2022", "--module", "NodeNext", "--types", "", "--ignoreConfig", "--outDir", folder];
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, join(packageDir, "src/index.ts"), ...options, ...target], { cwd: root });
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    // Declarations keep the sources' names.
    if (name.endsWith(".d.ts"))
      writeFileSync(path, readFileSync(path, "utf8").replaceAll(/(from "\.\/[\w-]+)\.ts"/g, '$1.js"'));
  }
  const { name, version, description, keywords } = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8"));
  const { license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const published = {
    ...{ name, version, description, keywords, license, type: "module", sideEffects: false },
    exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
    files: ["*.js", "*.d.ts", "README.md"],
  };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(published, null, 2)}\n`);
  copyFileSync(join(packageDir, "README.md"), join(folder, "README.md"));
}

if (import.meta.main) {
  const folder = join(packageDir, "dist/npm");
  packWidget(folder);
  console.log(`Packed. To publish it: npm publish ${folder}`);
}
