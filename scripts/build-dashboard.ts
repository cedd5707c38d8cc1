import { join } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import { build, defaultClientConditions } from "vite";
import { browserTargets, buildTargets } from "./build-targets.ts";
import { type Built, buildInto } from "./built-files.ts";

const root = join(import.meta.dirname, "../packages/dashboard");

export const dashboard: Built = {
  name: "dashboard",
  sources: ["dashboard/src", "dashboard/index.html", "sdk/src", "contract/src", "widget/src"],
};

/**
 * Small modules that at least three pages use, such as icons, become one file. By default, each of them is a file of
 * its own, and a page loads 17 scripts on average instead of 6. Charts stay out, because a module brings all of its
 * imports.
 */
const sharedParts = {
  name: "shared",
  test: /[\\/]lucide-react[\\/]|[\\/]dashboard[\\/]src[\\/](?!.*chart)/,
  minShareCount: 3,
  maxModuleSize: 2_000,
};

/** Builds `index.html`, which the server fills in, and `assets/`, whose file names contain a hash of the content. */
export function buildDashboard(): Promise<void> {
  return buildInto(dashboard, async (outDir) => {
    await build({
      root,
      base: "/dashboard/",
      // Scripts and styles load further files relative to their own address, because BASE_URL may have a path. The
      // server completes the addresses in the page.
      experimental: { renderBuiltUrl: (_, { hostType }) => (hostType === "html" ? undefined : { relative: true }) },
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
        rolldownOptions: {
          // Every file of these libraries contains "use client", which has no meaning here.
          onwarn: (warning, warn) => warning.code !== "MODULE_LEVEL_DIRECTIVE" && warn(warning),
          output: { codeSplitting: { groups: [sharedParts] } },
        },
      },
    });
    return {};
  });
}
