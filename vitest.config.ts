import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultServerConditions } from "vite";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";
import { NoSkippedTests } from "./test/no-skipped-tests.ts";

/** These files replace a module with `vi.mock`, which works only before the module has been loaded. */
const mocking = [
  "packages/dashboard/src/pages/conversations/export-list.test.ts",
  "packages/server/src/auth/sign-in/sign-in-attacks.test.ts",
  "packages/server/src/models/demo/demo-model.test.ts",
];

/** Tests await events, so a long timeout costs nothing while they pass, and a busy machine does not make them fail. */
const sharedOptions = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  setupFiles: ["test/property-seed.ts", "test/patient-waits.ts"],
  expect: { poll: { timeout: 30_000 } },
  // Not `setImmediate`: a module that several files share would wait forever for one that was scheduled on a fake clock.
  fakeTimers: { toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"] },
  // A worker allocates much that lives for one test only. A larger young generation saves a tenth of the CPU time.
  execArgv: ["--min-semi-space-size=32", "--max-semi-space-size=64"],
  // Threads started by tests share Node's compile cache, like those of the server.
  env: { TZ: "Asia/Kolkata", NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache") },
} satisfies NonNullable<ViteUserConfig["test"]>;

/** The workspace packages resolve to their sources, not to what `npm pack` compiles. Projects do not inherit this. */
// Node.js itself knows no condition `module`, under which some packages have files for bundlers only.
const conditions = ["foyer-source", ...defaultServerConditions.filter((condition) => condition !== "module")];
const ssr = { resolve: { conditions } };

const resolve = { alias: { "better-auth/crypto": join(import.meta.dirname, "test/remembered-passwords.ts") } };

export default defineConfig({
  test: {
    globalSetup: [
      "test/temporary-folders.ts",
      "test/postgres-server.ts",
      "test/migrated-databases.ts",
      "test/built-pages.ts",
      "test/chromium.ts",
    ],
    reporters: ["default", new NoSkippedTests()],
    sequence: { sequencer: LongestFirst },
    // Twice the cores of a small machine, because most files wait for retries, timeouts and other processes.
    maxWorkers: 4,
    projects: [
      {
        ssr,
        resolve,
        test: {
          ...sharedOptions,
          name: "tests",
          include: ["packages/*/src/**/*.test.ts", "scripts/**/*.test.ts", "e2e/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...mocking],
          // A worker loads each module once instead of once per file. Loading the server takes 0.9 s.
          isolate: false,
        },
      },
      { ssr, resolve, test: { ...sharedOptions, name: "mocking tests", include: mocking } },
    ],
  },
});
