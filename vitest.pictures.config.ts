import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

/** `npm run pictures`: takes the pictures of the product in `docs/pictures`. */
export default defineConfig({
  // The workspace packages resolve to their sources, not to what `npm pack` compiles.
  ssr: { resolve: { conditions: ["foyer-source", ...defaultServerConditions] } },
  test: {
    include: ["test/product-pictures/*.pictures.ts"],
    globalSetup: [
      "test/temporary-folders.ts",
      "test/postgres-server.ts",
      "test/migrated-databases.ts",
      "test/built-pages.ts",
      "test/chromium.ts",
    ],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: { TZ: "UTC" },
  },
});
