import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createAgent } from "../test/factories.ts";
import { temporaryFolder } from "../test/process.ts";
import { startServer } from "../test/server.ts";

it("manages agents as files from an empty folder with the package that the server serves, without a registry", async () => {
  const server = await startServer({ listen: true });
  onTestFinished(() => server.stop());
  const account = await server.createAccount();
  await createAgent(account, { name: "Harbour Bikes", systemPrompt: "Sell bikes." });
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const env = {
    ...process.env,
    FOYER_URL: server.url,
    FOYER_KEY: account.key,
    npm_config_registry: "http://127.0.0.1:1",
    npm_config_cache: join(folder.path, ".npm"),
  };
  const foyer = (...args: string[]) =>
    new Promise<{ code: unknown; output: string }>((resolve) => {
      const command = ["--yes", `${server.url}/packages/foyer-cli.tgz`, ...args];
      execFile("npx", command, { cwd: folder.path, env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr }),
      );
    });

  expect(await foyer("pull", "agents")).toEqual({ code: 0, output: "harbour-bikes: 2 files\n" });
  const prompt = join(folder.path, "agents/harbour-bikes/prompt.md");
  writeFileSync(prompt, readFileSync(prompt, "utf8").replace("bikes", "boats"));
  expect(await foyer("plan", "agents")).toMatchObject({ code: 2, output: expect.stringContaining("1 change\n") });
  expect(await foyer("apply", "agents")).toMatchObject({ code: 0 });
  expect(await foyer("test", "agents")).toEqual({ code: 0, output: "0 failed tests\n" });
  expect(await foyer("--help")).toMatchObject({ code: 0, output: expect.stringContaining("exit code 3") });
});
