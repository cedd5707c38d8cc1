import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";

const root = join(import.meta.dirname, "..");

/** Bundles the commands for agents as files to a package of one script, which needs no other package and no checkout. */
export async function buildCli(folder: string): Promise<void> {
  const { version, license, engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  await build({
    root: join(root, "packages/server"),
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    ssr: { noExternal: true, resolve: { conditions: ["foyer-source", "node", "module", "default"] } },
    build: {
      ssr: "src/agent-folders/folder-cli.js",
      target: "node22",
      outDir: folder,
      emptyOutDir: false,
      minify: true,
      license: { fileName: "licenses.md" },
      rolldownOptions: { output: { entryFileNames: "foyer.js" } },
    },
  });
  const description = "Agents of a Foyer server as files: pull, plan, apply, publish, test";
  const manifest = {
    name: "foyer-cli",
    version,
    license,
    description,
    type: "module",
    bin: { foyer: "foyer.js" },
    engines,
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}
