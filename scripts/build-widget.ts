import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build, defaultClientConditions, type InlineConfig } from "vite";
import { browserTargets, buildTargets, widgetParts } from "./build-targets.ts";
import { type Built, buildInto } from "./built-files.ts";

const packageDir = join(import.meta.dirname, "../packages/widget");

export const widget: Built = { name: "widget", sources: ["widget/src", "sdk/src", "contract/src"] };

/** First the parts, whose file names contain a hash of their content; then the loader, which contains those names. */
export function buildWidget(): Promise<void> {
  return buildInto(widget, async (folder) => {
    mkdirSync(join(folder, "widget"));
    // Each part is built separately, because code shared by two of them would become a third file to load.
    for (const [name, entry] of Object.entries(widgetParts)) await buildPart(name, entry, join(folder, "widget"));
    const built = readdirSync(join(folder, "widget")).map((file) => [file.replace(/-[\w-]{8}\.js$/, ""), file]);
    const partFiles: Record<string, string> = Object.fromEntries(built);
    await buildLoader(folder, Object.fromEntries(Object.keys(widgetParts).map((name) => [name, partFiles[name]])));
    return { partFiles };
  });
}

async function buildPart(name: string, entry: string, outDir: string) {
  await build({
    ...shared,
    build: {
      ...shared.build,
      outDir,
      lib: { entry: { [name]: join(packageDir, "src", entry) }, formats: ["es"] },
      rolldownOptions: {
        // Code that the panel shares with its forms stays in the panel's file, which saves a request.
        preserveEntrySignatures: "allow-extension",
        optimization,
        output: {
          minify: true,
          // Hints for bundlers. Nothing bundles these files again, and they take 260 bytes of the compressed panel.
          comments: false,
          entryFileNames: "[name]-[hash].js",
          chunkFileNames: "[name]-[hash].js",
        },
      },
    },
  });
}

async function buildLoader(outDir: string, partFiles: Record<string, string | undefined>) {
  await build({
    ...shared,
    define: { PART_FILES: JSON.stringify(partFiles) },
    build: {
      ...shared.build,
      outDir,
      lib: { entry: join(packageDir, "src/embed.ts"), formats: ["iife"], name: "unused" },
      rolldownOptions: { optimization, output: { entryFileNames: "widget.js" } },
    },
  });
}

/** A shared constant becomes a number where it is used, and not a file of its own with a request of its own. */
const optimization = { inlineConst: true };

const shared = {
  root: packageDir,
  configFile: false,
  logLevel: "warn",
  publicDir: false,
  resolve: { conditions: ["foyer-source", ...defaultClientConditions] },
  // Set under a test runner too, so that the tests measure the build that is served.
  oxc: { jsx: { runtime: "automatic", importSource: "preact", development: false } },
  build: {
    target: buildTargets(browserTargets.widget),
    emptyOutDir: false,
    modulePreload: false,
    copyPublicDir: false,
    reportCompressedSize: false,
  },
} satisfies InlineConfig;
