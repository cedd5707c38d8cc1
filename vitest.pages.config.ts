import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

/** `npm run test:pages`: the widget on pages that use real frameworks and libraries, compared with the same pages without it. */
export default defineConfig({
  // The workspace packages resolve to their sources, not to what `npm pack` compiles.
  ssr: { resolve: { conditions: ["foyer-source", ...defaultServerConditions] } },
  test: {
    include: ["test/pages/*.matrix.ts"],
    globalSetup: [
      "test/temporary-folders.ts",
      "test/postgres-server.ts",
      "test/migrated-databases.ts",
      "test/built-pages.ts",
      "test/chromium.ts",
    ],
    testTimeout: 300_000,
    hookTimeout: 120_000,
  },
});
