import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build, type InlineConfig } from "vite";

const packageDir = join(import.meta.dirname, "../packages/widget");

/**
 * Builds the widget into packages/widget/dist, each file also compressed, and says what it weighs. First the panel, whose
 * files are named after what is in them; then the loader, which holds the panel's name. The folder is replaced at once.
 */
export async function buildWidget(): Promise<void> {
  const fresh = join(packageDir, `dist-${process.pid}`);
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(join(fresh, "widget"), { recursive: true });
  try {
    const panelFile = await buildPanel(join(fresh, "widget"));
    await buildLoader(fresh, panelFile);
    for (const folder of [fresh, join(fresh, "widget")]) compressFiles(folder);
    writeFileSync(join(fresh, "build.json"), JSON.stringify({ panelFile, sources: hashSources() }));
    const dist = join(packageDir, "dist");
    rmSync(dist, { recursive: true, force: true });
    renameSync(fresh, dist);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Whether what was built was built from these very sources. */
export function isBuilt(): boolean {
  try {
    const { sources } = JSON.parse(readFileSync(join(packageDir, "dist/build.json"), "utf8"));
    return sources === hashSources();
  } catch {
    return false;
  }
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

function compressFiles(folder: string) {
  for (const name of readdirSync(folder).filter((name) => name.endsWith(".js"))) {
    const path = join(folder, name);
    const text = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
    writeFileSync(`${path}.br`, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
  }
}

/** Of everything that a build reads, but for what npm installs. */
function hashSources(): string {
  const hash = createHash("sha256");
  for (const folder of ["widget/src", "sdk/src", "contract/src/rules"]) {
    const root = join(packageDir, "..", folder);
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
      const path = join(entry.parentPath, entry.name);
      if (!/\.test\.tsx?$/.test(path)) hash.update(path.slice(root.length)).update(readFileSync(path));
    }
  }
  return hash.update(readFileSync(import.meta.filename)).digest("hex");
}

if (import.meta.main) {
  const startedAt = performance.now();
  await buildWidget();
  const sizes = readdirSync(join(packageDir, "dist"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".gz"))
    .map((name) => `${name.slice(0, -3)} ${readFileSync(join(packageDir, "dist", name)).length}`);
  console.log(`Widget  ${sizes.join(", ")} bytes gzip, in ${Math.round(performance.now() - startedAt)} ms`);
}
