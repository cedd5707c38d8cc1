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

/** Builds `index.html`, which the server fills in, and `assets/`, whose file names contain a hash of the content. */
export function buildDashboard(): Promise<void> {
  return buildInto(dashboard, async (outDir) => {
    await build({
      root,
      base: "/dashboard/",
      configFile: false,
      logLevel: "warn",
      publicDir: false,
      // Tests use this build too, and must not test React's development build.
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
        // Data URLs would require a wider policy for fonts and images.
        assetsInlineLimit: 0,
        // Every file of these libraries contains "use client", which has no meaning here.
        rolldownOptions: { onwarn: (warning, warn) => warning.code !== "MODULE_LEVEL_DIRECTIVE" && warn(warning) },
      },
    });
    return {};
  });
}
