import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { build, type InlineConfig } from "vite";
import { type Built, buildInto } from "./built-files.ts";

const packageDir = join(import.meta.dirname, "../packages/widget");

export const widget: Built = { name: "widget", sources: ["widget/src", "sdk/src", "contract/src/rules"] };

/** First the panel, whose files are named after what is in them; then the loader, which holds the panel's name. */
export function buildWidget(): Promise<void> {
  return buildInto(widget, async (folder) => {
    mkdirSync(join(folder, "widget"));
    const panelFile = await buildPanel(join(folder, "widget"));
    await buildLoader(folder, panelFile);
    return { panelFile };
  });
}

async function buildPanel(outDir: string): Promise<string> {
  await build({
    ...shared,
    build: {
      ...shared.build,
      outDir,
      lib: { entry: join(packageDir, "src/panel/panel.tsx"), formats: ["es"] },
      rolldownOptions: {
        output: { minify: true, entryFileNames: "[name]-[hash].js", chunkFileNames: "[name]-[hash].js" },
      },
    },
  });
  const file = readdirSync(outDir).find((name) => /^panel-.+\.js$/.test(name));
  if (!file) throw new Error("the panel's file is missing");
  return file;
}

async function buildLoader(outDir: string, panelFile: string) {
  await build({
    ...shared,
    define: { PANEL_FILE: JSON.stringify(panelFile) },
    build: {
      ...shared.build,
      outDir,
      lib: { entry: join(packageDir, "src/embed.ts"), formats: ["iife"], name: "unused" },
      rolldownOptions: { output: { entryFileNames: "widget.js" } },
    },
  });
}

const shared = {
  root: packageDir,
  configFile: false,
  logLevel: "warn",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: ["chrome109", "firefox115", "safari16.4"],
    emptyOutDir: false,
    modulePreload: false,
    copyPublicDir: false,
    reportCompressedSize: false,
  },
} satisfies InlineConfig;
