import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createAgent, createTool } from "../../../../test/factories.ts";
import { generatedAgent, saveGeneratedAgent } from "../../../../test/generated-agents.ts";
import { runCommand as runProcess, temporaryFolder } from "../../../../test/process.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { runFolderCommand } from "./folder-commands.ts";

/** How many agents the property tries. The long form is 500. */
const GENERATED = Number(process.env.FOYER_GENERATED_AGENTS ?? 15);

let server: TestServer;
let staging: Awaited<ReturnType<TestServer["createAccount"]>>;
let live: typeof staging;
let folder: ReturnType<typeof temporaryFolder>;
let agentId: string;

beforeAll(async () => {
  server = await startServer({ listen: true });
});
beforeEach(async () => {
  folder?.remove();
  folder = temporaryFolder();
  staging = await server.createAccount();
  live = await server.createAccount();
  agentId = await createAgent(staging, { name: "Harbour Bikes", systemPrompt: "Sell bikes.\n\nBe kind." });
  await createTool(staging, { agentId, name: "stock", executionType: "mock" });
});
afterAll(async () => {
  folder.remove();
  await server.stop();
});

const run = (account: typeof staging, ...args: string[]) => {
  const [command = "", ...options] = args;
  return runFolderCommand([command, folder.path, ...options], { FOYER_URL: server.url, FOYER_KEY: account.key });
};
const outputOf = async (account: typeof staging, ...args: string[]) => (await run(account, ...args)).output;
const path = (...names: string[]) => join(folder.path, "harbour-bikes", ...names);
const read = (...names: string[]) => readFileSync(path(...names), "utf8");
const edit = (name: string, from: string, to: string) => {
  expect(read(name)).toContain(from);
  writeFileSync(path(name), read(name).replace(from, to));
};
const addTrigger = (name: string) =>
  staging.call("POST", `/triggers?agentId=${agentId}`, {
    name,
    triggerType: "exit_intent",
    conditions: {},
    actionType: "open_chat",
    actionConfig: {},
  });

/** All files of the folder with their texts. */
function readAll(): Record<string, string> {
  const names = readdirSync(folder.path, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.toSorted().map((file) => [file, readFileSync(file, "utf8")]));
}

it("writes an agent as a folder with its prompt, tools and triggers", async () => {
  await addTrigger("Ask on exit");
  expect(await run(staging, "pull")).toEqual({ output: "harbour-bikes: 4 files", exitCode: 0 });
  expect(read("prompt.md")).toBe("Sell bikes.\n\nBe kind.\n");
  expect(read("agent.yaml")).toMatch(/^format: foyer-agent\/1\nslug: harbour-bikes\nid: agent_\w+\n/);
  expect(read("tools", "stock.yaml")).toContain("executionType: mock\n");
  expect(read("triggers", "ask-on-exit.yaml")).toContain("name: Ask on exit\n");
});

it("prints 0 changes for an unchanged pull, and applies to another organization", async () => {
  await run(staging, "pull");
  expect(await run(staging, "apply")).toEqual({ output: "0 changes", exitCode: 0 });
  expect(await run(staging, "plan")).toEqual({ output: "0 changes", exitCode: 0 });
  expect(await run(live, "plan")).toEqual({
    output: "+ harbour-bikes\n+ harbour-bikes: tool stock\n2 changes",
    exitCode: 2,
  });
  expect(await outputOf(live, "apply")).toContain("2 changes");
  expect(await run(live, "apply")).toEqual({ output: "0 changes", exitCode: 0 });
});

it("pulls the same bytes again after applying generated agents to another organization", async () => {
  await staging.call("DELETE", `/agents/${agentId}`);
  await fc.assert(
    fc.asyncProperty(generatedAgent, async (agent) => {
      rmSync(folder.path, { recursive: true });
      mkdirSync(folder.path);
      const { id } = await saveGeneratedAgent(staging, agent);
      await run(staging, "pull");
      const pulled = readAll();
      expect(await outputOf(staging, "apply", "--prune")).toMatch(/(^|\n)0 changes$/);
      await run(live, "apply");
      await run(live, "pull");
      const names = Object.keys(pulled);
      expect(Object.keys(readAll())).toEqual(names);
      const [withoutMask] = [/missingSecrets:(?: \[\]|(?:\n {2}- .*)+)\n|^id: .*\n/gm];
      for (const name of names)
        expect(readAll()[name]?.replace(withoutMask, "")).toBe(pulled[name]?.replace(withoutMask, ""));
      expect(await outputOf(live, "apply", "--prune")).toMatch(/(^|\n)0 changes$/);
      for (const account of [staging, live]) {
        for (const { id: created } of (await account.call("GET", "/agents")).body.data) {
          await account.call("DELETE", `/agents/${created}`);
        }
      }
      expect(id).toMatch(/^agent_/);
    }),
    { numRuns: GENERATED },
  );
});

it.each([["a secret", { httpHeaders: { Authorization: "{{STOCK_KEY}}" } }, "no secret STOCK_KEY"]])(
  "ends apply with exit code 3 when the server lacks %s",
  async (_, more, problem) => {
    await createTool(staging, {
      agentId,
      name: "order",
      executionType: "http",
      httpUrl: "https://shop.example.com/",
      httpMethod: "GET",
      ...more,
    });
    await run(staging, "pull");
    const { output, exitCode } = await run(live, "apply");
    expect(output).toContain(problem);
    expect(exitCode).toBe(3);
  },
);

it("keeps the comments and the order of files that were written by hand", async () => {
  await run(staging, "pull");
  const written =
    "# What the shop has in stock.\nname: stock\ndescription: Old # shown to the model\nexecutionType: mock\ninputSchema:\n  type: object\n";
  writeFileSync(path("tools", "stock.yaml"), written);
  await run(staging, "pull");
  const text = read("tools", "stock.yaml");
  expect(text.split("\n").slice(0, 3)).toEqual([
    "# What the shop has in stock.",
    "name: stock",
    "description: Does stock # shown to the model",
  ]);
  await run(staging, "pull");
  expect(read("tools", "stock.yaml")).toBe(text);
});

it("applies what was changed in the files, and removes only with --prune", async () => {
  await run(staging, "pull");
  edit("prompt.md", "Be kind.", "Be brief.");
  rmSync(path("tools", "stock.yaml"));
  expect(await outputOf(staging, "plan")).toBe("~ harbour-bikes (systemPrompt)\n1 change");
  expect(await outputOf(staging, "apply", "--prune")).toBe(
    "~ harbour-bikes (systemPrompt)\n- harbour-bikes: tool stock\n2 changes",
  );
  expect((await staging.call("GET", `/agents/${agentId}`)).body.data.systemPrompt).toBe("Sell bikes.\n\nBe brief.");
});

it("deletes the files of what the server no longer has with --prune", async () => {
  await run(staging, "pull");
  const [{ id }] = (await staging.call("GET", `/tools?agentId=${agentId}`)).body;
  await staging.call("DELETE", `/tools/${id}`);
  await run(staging, "pull", "--prune");
  expect(existsSync(path("tools", "stock.yaml"))).toBe(false);
});

it("publishes the drafts of the agents in the folder", async () => {
  await staging.call("PATCH", `/agents/${agentId}`, { publishing: "manual" });
  await run(staging, "pull");
  edit("prompt.md", "bikes", "boats");
  await run(staging, "apply");
  expect(await outputOf(staging, "publish", "--note", "Boats")).toMatch(/^harbour-bikes: version \d+ is live$/);
  expect(await outputOf(staging, "publish")).toMatch(/^harbour-bikes: version \d+ was live already$/);
});

it("chooses agents by slug", async () => {
  await createAgent(staging, { name: "Marina" });
  await run(staging, "pull", "--agent", "marina");
  expect(readdirSync(folder.path)).toEqual(["marina"]);
  await expect(run(staging, "pull", "--agent", "nobody")).rejects.toThrow("has no agent nobody");
});

it("names the file and line of what the server refuses", async () => {
  await run(staging, "pull");
  edit("agent.yaml", "name: Harbour Bikes", "name: Harbour Bikes\nsistemPrompt: Typo");
  const line = read("agent.yaml").split("\n").indexOf("sistemPrompt: Typo") + 1;
  await expect(run(staging, "plan")).rejects.toThrow(
    `${path("agent.yaml")}:${line}: sistemPrompt is not a known field`,
  );
});

it("names the line of a secret that is written out", async () => {
  await run(staging, "pull");
  writeFileSync(
    path("tools", "stock.yaml"),
    "name: stock\ndescription: Stock\nexecutionType: http\ninputSchema:\n  type: object\nhttpUrl: https://api.example/\nhttpHeaders:\n  Accept: text/plain\n  X-Api-Key: abc\n",
  );
  await expect(run(staging, "apply")).rejects.toThrow(`${path("tools", "stock.yaml")}:9: httpHeaders.X-Api-Key`);
});

it.each([
  ["broken YAML", "name: [", ":1: "],
  ["an alias that contains itself", "name: stock\ninputSchema: &loop\n  again: *loop\n", ":3: "],
  ["a value that JSON does not have", "name: stock\nn: .inf\n", ":2: "],
  ["a repeated key", "name: stock\nname: other\n", ":2: "],
  ["a list", "- name: stock\n", ":1: "],
  ["3 MiB", `name: ${"x".repeat(3 * 1024 * 1024)}`, ":1: must have at most 2 MiB"],
])("refuses a file with %s by its line", async (_, text, problem) => {
  await run(staging, "pull");
  writeFileSync(path("tools", "stock.yaml"), text);
  await expect(run(staging, "plan")).rejects.toThrow(path("tools", "stock.yaml") + problem);
});

const bomb = [
  "a: &a [lol, lol]",
  ...["b", "c", "d"].map((name, at) => `${name}: &${name} [*${"abc"[at]}, *${"abc"[at]}]`),
];

it.each([
  ["a prompt of 50 MB", "prompt.md", "x".repeat(50_000_000), ":1: must have at most 2 MiB"],
  ["settings of 50 MB", "agent.yaml", `name: ${"x".repeat(50_000_000)}`, ":1: must have at most 2 MiB"],
  ["aliases that stand for ever more values", "tools/stock.yaml", bomb.join("\n"), ":2: write the value of *a out"],
  [
    "a secret in the query of a URL",
    "tools/stock.yaml",
    "name: stock\ndescription: Stock\nexecutionType: http\ninputSchema:\n  type: object\nhttpUrl: https://api.example/?token=abc\n",
    ":6: httpUrl",
  ],
  [
    "the id of a tool on another server",
    "tools/stock.yaml",
    "id: tool_1\nname: stock\ndescription: Stock\nexecutionType: mock\ninputSchema:\n  type: object\n",
    ":1: id is not a known field",
  ],
  [
    "a newer format",
    "agent.yaml",
    "name: Harbour Bikes\nformat: foyer-agent/2\n",
    ":2: format is foyer-agent/2, and this server reads foyer-agent/1. Upgrade the server first",
  ],
])("applies nothing of a folder with %s, and names the file and line", async (_, name, text, problem) => {
  await run(staging, "pull");
  const before = (await staging.call("GET", `/agents/${agentId}/export`)).body.data;
  edit("agent.yaml", "name: Harbour Bikes", "name: Harbour Boats");
  writeFileSync(path(...name.split("/")), text);
  await expect(run(staging, "apply")).rejects.toThrow(path(...name.split("/")) + problem);
  expect((await staging.call("GET", `/agents/${agentId}/export`)).body.data).toEqual(before);
});

it("prints the limit of the server for files that are too large together", async () => {
  await run(staging, "pull");
  const text = (n: number) =>
    `name: t${n}\ndescription: ${"x".repeat(1_900_000)}\nexecutionType: mock\ninputSchema:\n  type: object\n`;
  for (let n = 0; n < 27; n++) writeFileSync(path("tools", `t${n}.yaml`), text(n));
  await expect(run(staging, "apply")).rejects.toThrow("at most 16 MiB");
});

it("refuses an agent in the folder of another one", async () => {
  await run(staging, "pull");
  edit("agent.yaml", "slug: harbour-bikes", "slug: other");
  await expect(run(staging, "plan")).rejects.toThrow("agent.yaml:2: slug: must be harbour-bikes");
});

it("runs without a database, prints errors and sets the exit codes", async () => {
  const env = { FOYER_URL: server.url, FOYER_KEY: live.key, FOYER_DATA_DIR: "/nonexistent/folder" };
  await run(staging, "pull");
  expect(await runProcess(["plan", folder.path], env)).toMatchObject({ code: 2, stderr: "" });
  expect(await runProcess(["apply", folder.path], env)).toMatchObject({ code: 0, stderr: "" });
  edit("agent.yaml", "slug: harbour-bikes", "slug: other");
  const refused = await runProcess(["plan", folder.path], env);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("agent.yaml:2: slug")]);
});

it.each([
  ["no address", {}, /FOYER_URL/],
  ["no key", { FOYER_URL: "http://127.0.0.1:9" }, /FOYER_KEY/],
  ["a server that cannot be reached", { FOYER_URL: "http://127.0.0.1:9", FOYER_KEY: "fyr_x" }, /Could not reach/],
])("says what is missing with %s", async (_, env, problem) => {
  await expect(runFolderCommand(["pull", folder.path], env)).rejects.toThrow(problem);
});

it("refuses a key that the server does not know", async () => {
  await expect(
    runFolderCommand(["pull", folder.path], { FOYER_URL: server.url, FOYER_KEY: `fyr_${"x".repeat(46)}` }),
  ).rejects.toThrow(/key/i);
});

it("writes the results of tests for CI systems", async () => {
  await staging.call("POST", `/agents/${agentId}/tests`, {
    name: "Answers & greets",
    turns: ["Hello"],
    checks: [{ kind: "says", text: "no reply contains this" }],
  });
  await run(staging, "pull");
  const junit = join(folder.path, "junit.xml");
  const { output, exitCode } = await run(staging, "test", "--junit", junit);
  expect(exitCode).toBe(1);
  expect(output).toContain("FAILED  harbour-bikes: Answers & greets (0 of 1)");
  expect(readFileSync(junit, "utf8")).toContain('name="Answers &amp; greets"');
});

it("changes an agent that was renamed on the server, and moves its folder with the next pull", async () => {
  await run(staging, "pull");
  await staging.call("PATCH", `/agents/${agentId}`, { name: "Marina" });
  edit("prompt.md", "Sell bikes.", "Sell boats.");
  expect(await outputOf(staging, "plan")).toBe("~ harbour-bikes (name, systemPrompt)\n1 change");
  await run(staging, "apply");
  await staging.call("PATCH", `/agents/${agentId}`, { name: "Marina" });
  await run(staging, "pull");
  expect(readdirSync(folder.path)).toEqual(["marina"]);
  expect((await staging.call("GET", "/agents")).body.data).toHaveLength(1);
});

it("refuses a folder that was copied with the id of its agent", async () => {
  await run(staging, "pull");
  cpSync(path(), join(folder.path, "marina"), { recursive: true });
  await expect(run(staging, "plan")).rejects.toThrow("is the id of harbour-bikes");
});

it.each([
  ["prompt.md is absent", () => rmSync(path("prompt.md"))],
  ["the folder of its tools is absent", () => rmSync(path("tools"), { recursive: true })],
  ["a tool is in a .yml file", () => renameSync(path("tools", "stock.yaml"), path("tools", "stock.yml"))],
  ["its settings are in agent.yml", () => renameSync(path("agent.yaml"), path("agent.yml"))],
  [
    "Git has checked it out with the line breaks of Windows",
    () => {
      for (const file of Object.keys(readAll()))
        writeFileSync(file, readFileSync(file, "utf8").replaceAll("\n", "\r\n"));
    },
  ],
])("plans no change of an agent whose folder is as it was pulled, but %s", async (_, change) => {
  await run(staging, "pull");
  change();
  expect(await run(staging, "plan", "--prune")).toEqual({ output: "0 changes", exitCode: 0 });
});

it("refuses files that it would ignore, before anything is removed", async () => {
  await run(staging, "pull");
  renameSync(path("tools", "stock.yaml"), path("tools", "stock.json"));
  await expect(run(staging, "apply", "--prune")).rejects.toThrow(
    "stock.json:1: must be a file whose name ends with .yaml",
  );
});

it("keeps local files that have not been applied when it pulls, unless they are to be removed", async () => {
  await run(staging, "pull");
  writeFileSync(path("tools", "hours.yaml"), read("tools", "stock.yaml").replace("name: stock", "name: hours"));
  expect(await outputOf(staging, "pull")).toMatch(
    /^harbour-bikes: unchanged\nkept .*hours\.yaml: the server has nothing/,
  );
  expect(existsSync(path("tools", "hours.yaml"))).toBe(true);
  await run(staging, "pull", "--prune");
  expect(existsSync(path("tools", "hours.yaml"))).toBe(false);
});
