import { execFile } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Marked } from "marked";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "./server.ts";

const root = join(import.meta.dirname, "..");
const run = promisify(execFile);

const files = [
  "README.md",
  "packages/sdk/README.md",
  "packages/widget/README.md",
  ...globSync("docs/guides/*.md", { cwd: root }),
];

/** The code blocks of a file. `no-run` after the language marks a block that needs more than a Foyer server. */
function readBlocks(file: string, language: string) {
  const tokens = new Marked().lexer(readFileSync(join(root, file), "utf8"));
  return tokens.flatMap((token) => {
    if (token.type !== "code") return [];
    const [name, ...marks] = (token.lang ?? "").split(" ");
    return name === language ? [{ code: String(token.text), isRun: !marks.includes("no-run") }] : [];
  });
}

const filesWith = (language: string, isRun = false) =>
  files.filter((file) => readBlocks(file, language).some((block) => block.isRun || !isRun));

describe("the examples of the documentation", () => {
  let server: TestServer;
  let folder: string;
  let account: Awaited<ReturnType<TestServer["createAccount"]>>;
  beforeAll(async () => {
    server = await startServer({ listen: true });
    account = await server.createAccount();
    folder = mkdtempSync(join(tmpdir(), "foyer-examples-"));
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const compilerOptions = { noEmit: true, incremental: false, noUnusedLocals: false, noUnusedParameters: false };
    const config = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["*.ts"], exclude: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Real ids for those in the examples: of an agent with a tool and a conversation. */
  async function createIds(name: string): Promise<Map<string, string>> {
    const agent = (await account.call("POST", "/agents", { name: "Harbour" })).body.data.id;
    const fields = ["email", "bike"].map((name) => ({ name, label: name, type: "text" }));
    const form = { agentId: agent, name, description: "Books a test ride", executionType: "form" };
    const body = { ...form, inputSchema: { type: "object" }, formSchema: { fields } };
    const tool = (await account.call("POST", "/tools", body)).body.id;
    const payload = { agentId: agent, messages: [{ role: "user", content: "Hello" }] };
    const stream = (await server.app.inject({ method: "POST", url: "/chat", payload })).body;
    const conversation = /"conversationId":"([^"]+)"/.exec(stream)?.[1] ?? "";
    const token = /"conversationToken":"([^"]+)"/.exec(stream)?.[1] ?? "";
    return new Map([
      ["agent_01k…", agent],
      ["tool_01k…", tool],
      ["conv_01k…", conversation],
      ["$CONVERSATION_TOKEN", token],
    ]);
  }

  const fillIn = (code: string, ids: ReadonlyMap<string, string>) =>
    [...ids].reduce(
      (text, [name, id]) => text.replaceAll(name, id),
      code.replaceAll(/https:\/\/chat\.example\.com|http:\/\/localhost:3000|localhost:3000/g, server.url),
    );

  it.each(filesWith("sh", true))(
    "run against a server as %s prints them for a shell",
    { timeout: 60_000 },
    async (file) => {
      const ids = await createIds("earlier_form");
      // The README has an agent with the same names of tools.
      for (const { code } of readBlocks(file, "sh").filter((block) => block.isRun)) {
        const script = `set -euo pipefail
        curl() { command curl --silent --show-error --fail-with-body "$@"; }
        npm() { case "$*" in *"keys create"*) echo "$KEY_OF_THE_TEST" ;; *"users create"*) ;; *) exit 9 ;; esac; }
        [ ! -f variables ] || . ./variables
        ${fillIn(code, ids)}
        declare -p KEY AGENT > variables 2> errors || true`;
        const env = { ...process.env, FOYER_API_KEY: account.key, KEY_OF_THE_TEST: account.key };
        const result = await run("bash", ["-c", script], { cwd: folder, env }).catch((error) => error);
        expect({ code, problem: result.code ? result.stdout + result.stderr : "" }).toEqual({ code, problem: "" });
        // The next example continues with what this one has created.
        for (const prefix of ["agent", "tool", "conv"]) {
          const id = new RegExp(`"id":"(${prefix}_[0-9a-z]{26})"`).exec(result.stdout)?.[1];
          if (id && code.includes("-d ")) ids.set(`${prefix}_01k…`, id);
        }
      }
      rmSync(join(folder, "variables"), { force: true });
    },
  );

  it("compile in strict TypeScript", { timeout: 120_000 }, async () => {
    for (const [at, file] of filesWith("ts").entries()) {
      const code = readBlocks(file, "ts").map((block) => block.code);
      writeFileSync(join(folder, `example${at}.ts`), `${code.join("\n")}\nexport {};\n`);
    }
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const compiled = await run(process.execPath, [tsc, "-p", folder]).catch((error) => error);
    expect(compiled.stdout).toBe("");
  });

  it("run as one program where the SDK's README prints them", { timeout: 60_000 }, async () => {
    const ids = await createIds("test_ride");
    const code = readBlocks("packages/sdk/README.md", "ts").map((block) => block.code);
    writeFileSync(join(folder, "program.ts"), fillIn(code.join("\n"), ids));
    const env = { ...process.env, FOYER_API_KEY: account.key };
    const options = ["--conditions=foyer-source", "--no-warnings", "program.ts"];
    const result = await run(process.execPath, options, { cwd: folder, env }).catch((error) => error);
    rmSync(join(folder, "program.ts"));
    expect(result.stderr).toBe("");
    expect(result.stdout).toContain("ada@example.com");
    expect(result.stdout).toContain("NOT_FOUND 404 false");
  });

  it.each(filesWith("json"))("are valid JSON in %s", (file) => {
    for (const { code } of readBlocks(file, "json")) expect(() => JSON.parse(code), code).not.toThrow();
  });

  it.each(filesWith("js"))("are valid JavaScript in %s", async (file) => {
    for (const { code } of readBlocks(file, "js")) {
      writeFileSync(join(folder, "example.mjs"), code);
      const checked = await run(process.execPath, ["--check", join(folder, "example.mjs")]).catch((error) => error);
      expect(checked.stderr, code).toBe("");
    }
    rmSync(join(folder, "example.mjs"));
  });

  it("name the server in one way", () => {
    const named = files.flatMap((file) => {
      const blocks = ["sh", "ts", "js", "html"].flatMap((language) => readBlocks(file, language));
      return blocks.flatMap(({ code }) => code.match(/https?:\/\/(foyer|chat|your)[\w.-]*|\$FOYER\b/g) ?? []);
    });
    expect([...new Set(named)]).toEqual(["https://chat.example.com"]);
  });
});
