import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { build, type Plugin } from "vite";
import { type Built, buildInto } from "./built-files.ts";

const root = join(import.meta.dirname, "..");
const sources = join(root, "packages/server/src");

export const server: Built = {
  name: "server",
  folder: "bundle",
  sources: ["server/src", "contract/src", "../package-lock.json"],
};

/** Packages that are installed beside the bundle: the first one is native, and the second one is loaded with `require`. */
export const installedPackages = ["better-sqlite3", "snowball-stemmers"];

/** A thread or process of the server, which the sources start as `new URL("./read-thread.ts", import.meta.url)`. */
const entryUrl = /new URL\("(\.\/[\w/-]+)\.ts", import\.meta\.url\)/g;

/** Bundles the server, so that a start reads one file instead of 2,700. Lazily imported modules become chunks. */
export function buildServer(): Promise<void> {
  return buildInto(server, async (folder) => {
    const packages: Record<string, string[]> = {};
    await build({
      root: join(root, "packages/server"),
      configFile: false,
      logLevel: "warn",
      publicDir: false,
      plugins: [keepLocations, dropForeignMaps, listPackages(packages)],
      ssr: {
        noExternal: true,
        external: installedPackages,
        resolve: { conditions: ["foyer-source", "node", "module", "default"] },
      },
      build: {
        ssr: true,
        target: "node22",
        outDir: folder,
        emptyOutDir: false,
        sourcemap: true,
        minify: true,
        license: { fileName: "licenses.md" },
        rolldownOptions: {
          input: findEntries(),
          output: {
            entryFileNames: "[name].js",
            chunkFileNames: "[name]-[hash].js",
            keepNames: true,
            sourcemapExcludeSources: true,
          },
        },
      },
    });
    return { packages };
  });
}

function findEntries(): Record<string, string> {
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const started = files.flatMap((name) =>
    [...readFileSync(join(sources, name), "utf8").matchAll(entryUrl)].map(([, path]) =>
      join(sources, name, "..", `${path}.ts`),
    ),
  );
  return Object.fromEntries(
    [join(sources, "main.js"), join(sources, "cli.js"), ...started].map((path) => [entryName(path), path]),
  );
}

/** All files of the bundle are in one folder. */
const entryName = (path: string) =>
  relative(sources, path)
    .replace(/\.\w+$/, "")
    .replaceAll(sep, "-");

/** `import.meta.url` stays the location of the source, so that the paths of pages, texts and packages stay the same. */
const keepLocations: Plugin = {
  name: "keep-locations",
  enforce: "pre",
  transform(code, id) {
    if (!id.startsWith(sources) || !code.includes("import.meta.url")) return null;
    const source = JSON.stringify(`../${relative(join(sources, ".."), id).replaceAll(sep, "/")}`);
    return {
      code: code
        .replaceAll(entryUrl, (_, path) => `new URL("./${entryName(join(id, "..", path))}.js", import.meta.BUNDLE)`)
        .replaceAll("import.meta.url", `new URL(${source}, import.meta.url).href`)
        .replaceAll("import.meta.BUNDLE", "import.meta.url"),
      map: null,
    };
  },
};

const dropForeignMaps: Plugin = {
  name: "drop-foreign-maps",
  generateBundle(_, bundle) {
    // Maps of other people's code would take a fifth of a release, and its lines help nobody who reads a stack trace.
    for (const [name, file] of Object.entries(bundle)) {
      if (file.type !== "chunk") continue;
      const own = file.moduleIds.filter((id) => !id.includes("node_modules"));
      if (own.length > file.moduleIds.length / 2) continue;
      delete bundle[`${name}.map`];
      file.code = file.code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n");
    }
  },
};

/** Notes which packages each file of the bundle contains, for the test that watches what a start loads. */
function listPackages(packages: Record<string, string[]>): Plugin {
  return {
    name: "list-packages",
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk") continue;
        const names = file.moduleIds.flatMap((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []);
        packages[file.fileName] = [...new Set(names)].sort();
      }
    },
  };
}
