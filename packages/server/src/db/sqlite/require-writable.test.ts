import { execFileSync } from "node:child_process";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createTemporaryFolder } from "../../../../../test/temporary-folders.ts";

/** Returns the message of the error in a process of a user who may not write the file, nor the folder. */
function checkAsOtherUser(dataDir: string): string {
  const { href } = new URL("require-writable.ts", import.meta.url);
  const script = `
    import { requireWritable } from ${JSON.stringify(href)};
    if (process.getuid() === 0) process.setuid(65534);
    try {
      requireWritable(${JSON.stringify(dataDir)});
    } catch (error) {
      console.log(error.message);
    }
  `;
  return execFileSync(process.execPath, ["--input-type=module-typescript", "--eval", script], { encoding: "utf8" });
}

function createDataFolder(mode: number) {
  const folder = createTemporaryFolder("writable");
  onTestFinished(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  });
  const file = join(folder, "foyer.sqlite");
  writeFileSync(file, "", { mode: 0o400 });
  chmodSync(folder, mode);
  return { folder, file };
}

it("a data folder that Foyer may not write is named, with the user who needs it", () => {
  const { folder } = createDataFolder(0o500);
  expect(checkAsOtherUser(folder)).toMatch(
    new RegExp(
      `^${folder} cannot be read and written \\(EACCES\\)\\. Make it writable for the user with the id \\d+, who runs`,
    ),
  );
});
