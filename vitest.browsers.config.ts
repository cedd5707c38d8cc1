import { defineConfig } from "vitest/config";

/**
 * `npm run test:browsers`: a smoke test of the widget and the dashboard in Firefox and WebKit, and a check of the browser
 * APIs that the builds use. Its packages take 77 MB, so `npm ci` leaves them out.
 */
export default defineConfig({
  test: {
    include: ["test/browsers/*.smoke.ts"],
    globalSetup: [
      "test/temporary-folders.ts",
      "test/postgres-server.ts",
      "test/migrated-databases.ts",
      "test/built-pages.ts",
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One engine at a time, because each uses several processes and threads.
    fileParallelism: false,
  },
});
