import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import { NoSkippedTests } from "./test/no-skipped-tests.ts";

export default defineConfig({
  // The workspace packages resolve to their sources, not to what `npm pack` compiles.
  ssr: { resolve: { conditions: ["foyer-source", ...defaultServerConditions] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts", "e2e/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/postgres-server.ts", "test/built-pages.ts"],
    reporters: ["default", new NoSkippedTests()],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two cores: more workers would only take turns.
    maxWorkers: 2,
    env: { TZ: "Asia/Kolkata" },
  },
});
