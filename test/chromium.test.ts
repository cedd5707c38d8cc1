import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);

it("three processes that unpack Chromium at once into an empty folder all get a binary that starts", async () => {
  const cache = mkdtempSync(join(tmpdir(), "foyer-chromium-"));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  const { href } = new URL("chromium.ts", import.meta.url);
  const script = `
    import { execFileSync } from "node:child_process";
    import { unpackChromium } from ${JSON.stringify(href)};
    console.log(execFileSync(await unpackChromium(${JSON.stringify(cache)}), ["--version"], { encoding: "utf8" }));
  `;
  const runs = await Promise.all(
    [1, 2, 3].map(() => run(process.execPath, ["--input-type=module-typescript", "--eval", script])),
  );
  expect(runs.map(({ stdout }) => stdout)).toEqual(runs.map(() => expect.stringMatching(/\d+\.\d+\.\d+/)));
  expect(readdirSync(cache)).toEqual([expect.stringMatching(/^chromium-\d+\.\d+\.\d+$/)]);
});
