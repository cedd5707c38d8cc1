import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import { NoSkippedTests } from "./test/no-skipped-tests.ts";

/**
 * `npm run test:faults` runs at full length what the usual suite runs in a short form. FOYER_FAULT_SEED replays a run.
 */
export default defineConfig({
  // The workspace packages resolve to their sources, not to what `npm pack` compiles.
  ssr: { resolve: { conditions: ["foyer-source", ...defaultServerConditions] } },
  test: {
    include: ["test/faults/*.test.ts"],
    globalSetup: ["test/postgres-server.ts", "test/migrated-databases.ts"],
    reporters: ["default", new NoSkippedTests()],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    env: { TZ: "Asia/Kolkata", FOYER_FAULT_RUN: "long" },
  },
});
