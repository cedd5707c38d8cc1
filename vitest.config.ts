import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";
import { NoSkippedTests } from "./test/no-skipped-tests.ts";

/** These replace a module with `vi.mock`, which only works before anything else has loaded the module. */
const mocking = [
  "packages/dashboard/src/pages/conversations/export-list.test.ts",
  "packages/server/src/auth/sign-in/sign-in-attacks.test.ts",
  "packages/server/src/models/demo/demo-model.test.ts",
];

/** Tests await events, so a long timeout costs nothing while they pass, and a busy machine fails none of them. */
const shared = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  setupFiles: ["test/property-seed.ts"],
  expect: { poll: { timeout: 30_000 } },
  // The threads that tests start share Node's compile cache, as those of the server do.
  env: { TZ: "Asia/Kolkata", NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") },
};

/** The workspace packages resolve to their sources, not to what `npm pack` compiles. Projects do not inherit this. */
const ssr = { resolve: { conditions: ["foyer-source", ...defaultServerConditions] } };

export default defineConfig({
  test: {
    globalSetup: ["test/postgres-server.ts", "test/migrated-databases.ts", "test/built-pages.ts"],
    reporters: ["default", new NoSkippedTests()],
    sequence: { sequencer: LongestFirst },
    // One more than the cores of a small machine: four workers took as long as three.
    maxWorkers: 3,
    projects: [
      {
        ssr,
        resolve: { alias: { "better-auth/crypto": join(import.meta.dirname, "test/remembered-passwords.ts") } },
        test: {
          ...shared,
          name: "tests",
          include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts", "e2e/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...mocking],
          // A worker loads each module once instead of once a file. Loading the server takes 0.9 s.
          isolate: false,
        },
      },
      { ssr, test: { ...shared, name: "mocking tests", include: mocking } },
    ],
  },
});
