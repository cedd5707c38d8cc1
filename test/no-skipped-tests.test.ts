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

it("a run fails and names tests that are skipped, that skip themselves, or that are marked as todo", () => {
  const skipped =
    'it.skip("is skipped", () => {}); it("skips itself", ({ skip }) => skip()); it.todo("is to be written");';
  const { status, stderr } = run(`it("runs", () => {}); ${skipped}`);
  const names = ["is skipped", "skips itself", "is to be written"];
  expect(stderr).toContain(["Skipped tests fail the run (3):", ...names].join("\n  some.test.js: "));
  expect(status).toBe(1);
});

it("a run of every test, or of the tests that -t selects, passes", () => {
  expect(run('it("runs", () => {});')).toEqual({ status: 0, stderr: "" });
  expect(run('it("runs", () => {}); it("other", () => {});', "-t", "runs")).toEqual({ status: 0, stderr: "" });
});
