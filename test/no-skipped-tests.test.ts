import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const vitest = join(import.meta.dirname, "../node_modules/vitest");
const folder = mkdtempSync(join(tmpdir(), "foyer-skipped-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const reporter = join(import.meta.dirname, "no-skipped-tests.ts");
writeFileSync(
  join(folder, "vitest.config.mjs"),
  `import { NoSkippedTests } from ${JSON.stringify(reporter)};
  export default { test: { reporters: [new NoSkippedTests()] } };`,
);

/** Runs Vitest with the reporter on a file with these tests. */
function run(tests: string, ...args: string[]) {
  writeFileSync(
    join(folder, "some.test.js"),
    `import { it } from ${JSON.stringify(join(vitest, "dist/index.js"))};\n${tests}`,
  );
  const command = [join(vitest, "vitest.mjs"), "run", `--root=${folder}`, ...args];
  const { status, stderr } = spawnSync(process.execPath, command, {
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  });
  return { status, stderr };
}

it.each([
  ["skipped", 'it("runs", () => {}); it.skip("waits", () => {});'],
  ["skipped while it runs", 'it("runs", () => {}); it("waits", ({ skip }) => skip());'],
  ["still to be written", 'it("runs", () => {}); it.todo("waits");'],
])("a run in which a test was %s fails and names the test", (_, tests) => {
  const { status, stderr } = run(tests);
  expect(stderr).toContain("Skipped tests fail the run (1):\n  some.test.js: waits");
  expect(status).toBe(1);
});

it("a run of every test, or of the tests that -t selects, passes", () => {
  expect(run('it("runs", () => {});')).toEqual({ status: 0, stderr: "" });
  expect(run('it("runs", () => {}); it("other", () => {});', "-t", "runs")).toEqual({ status: 0, stderr: "" });
});
