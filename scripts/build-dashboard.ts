import { join } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import { build, defaultClientConditions } from "vite";
import { browserTargets, buildTargets } from "./build-targets.ts";
import { type Built, buildInto } from "./built-files.ts";

const root = join(import.meta.dirname, "../packages/dashboard");

export const dashboard: Built = {
  name: "dashboard",
  sources: ["dashboard/src", "dashboard/index.html", "sdk/src", "contract/src/rules", "widget/src"],
};

/** `index.html`, which the server fills in, and `assets/`, whose files are named after what is in them. */
export function buildDashboard(): Promise<void> {
  return buildInto(dashboard, async (outDir) => {
    await build({
      root,
      base: "/dashboard/",
      configFile: false,
      logLevel: "warn",
      publicDir: false,
      // Tests build too, and are to see what is delivered: not React's development build.
      define: { "process.env.NODE_ENV": '"production"' },
      resolve: { conditions: ["foyer-source", ...defaultClientConditions] },
      plugins: [tailwindcss()],
      oxc: { jsx: { runtime: "automatic", importSource: "react", development: false } },
      build: {
        outDir,
        emptyOutDir: false,
        reportCompressedSize: false,
        chunkSizeWarningLimit: 1_000,
        target: buildTargets(browserTargets.dashboard),
        // Data addresses would need a wider policy for fonts and images.
        assetsInlineLimit: 0,
        // Every file of these libraries says "use client", which means nothing here.
        rolldownOptions: { onwarn: (warning, warn) => warning.code !== "MODULE_LEVEL_DIRECTIVE" && warn(warning) },
      },
    });
    return {};
  });
}
