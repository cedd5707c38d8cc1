import { join } from "node:path";
import { build } from "vite";
import { folderSite, scriptTag } from "./host-site.ts";
import type { HostPage } from "./visit-page.ts";

const root = join(import.meta.dirname, "bundled");

/** The name of each page and its entry. One build bundles all. */
const entries: Record<string, string> = {
  "React Router 6": "react-router-6.jsx",
  "React Router 7": "react-router-7.jsx",
  "Radix dialog": "radix.jsx",
  "MUI dialog": "mui.jsx",
  "Headless UI dialog": "headless-ui.jsx",
  "Solid Router": "solid.js",
};

let built: Promise<unknown> | undefined;

/** Pages whose scripts a bundler writes. */
export const bundledPages: HostPage[] = Object.entries(entries).map(([name, entry]) => ({
  name,
  hasDismissibleDialog: entry === "radix.jsx",
  async start() {
    built ??= bundle();
    await built;
    const file = entry.replace(/\.jsx?$/, ".js");
    const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Harbour</title>${scriptTag}<script type="module" src="/${file}"></script></head><body><div id="app"></div></body></html>`;
    return folderSite(join(root, "dist"), html);
  },
}));

async function bundle(): Promise<void> {
  const input = Object.fromEntries(
    Object.values(entries).map((entry) => [entry.replace(/\.jsx?$/, ""), join(root, entry)]),
  );
  await build({
    root,
    configFile: false,
    logLevel: "error",
    oxc: { jsx: { runtime: "automatic" } },
    build: {
      rollupOptions: { input, output: { entryFileNames: "[name].js" } },
    },
  });
}
