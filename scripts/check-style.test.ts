import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findCycles, findProblems, toModule } from "./check-style.ts";

const server = "packages/server/src";

/** The problems of one file with this one line. */
function findLineProblems(path: string, line: string): string[] {
  return findProblems([toModule(path, `${line}\n`)]);
}

/** Files by path, each with the files it imports. */
function createTree(imports: Record<string, string[]>) {
  return Object.entries(imports).map(([path, files]) =>
    toModule(path, files.map((file) => `import { x } from "${file}";\n`).join("")),
  );
}

it("check-style refuses a link that is stretched over a table row, because WebKit would stretch it over the page", () => {
  const path = "packages/dashboard/src/a.tsx";
  const overlay = '<a className="after:absolute after:inset-0">';
  expect(findLineProblems(path, `<Tr>\n<Td>${overlay}</a></Td></Tr>`)).toMatchObject([
    expect.stringContaining("LinkTr"),
  ]);
  expect(findLineProblems(path, `<tr className="relative inset-0"></tr>`)).toHaveLength(1);
  expect(findLineProblems(path, `<><Tr></Tr><li className="relative">${overlay}</a></li></>`)).toEqual([]);
});

it.each([
  'trx.insertInto("messages").values(row)',
  'db\n  .updateTable(\n    "conversations",\n  )',
  'db.deleteFrom("conversations")',
  "sql`update conversations set title = 1`",
  'sql`delete from "messages"`',
  'compileInsert<Row>(db, kind, "messages", columns)',
])("check-style refuses %j outside of the conversation log", (write) => {
  expect(findLineProblems(`${server}/chat/a.ts`, write)).toEqual([expect.stringContaining("only packages/server")]);
});

it.each([
  [`${server}/conversations/log/a.ts`, 'db.updateTable("messages")'],
  [`${server}/db/migrations/0001-a.ts`, 'db.updateTable("messages")'],
  [`${server}/chat/a.test.ts`, 'db.updateTable("messages")'],
  [`${server}/chat/a.ts`, 'db.selectFrom("messages"); db.updateTable("conversationNotes")'],
  [`${server}/chat/a.ts`, "// Readers update conversations in the list."],
])("check-style accepts in %s: %s", (path, text) => {
  expect(findLineProblems(path, text)).toEqual([]);
});

describe("toModule", () => {
  it.each([
    ['import { a, type B } from "./a.ts";', "./a.ts", false],
    // At run time, `import {} from` remains of this import.
    ['import { type A } from "./a.ts";', "./a.ts", false],
    ['import a, { b } from "lib";', "lib", false],
    ['import type { A } from "./a.ts";', "./a.ts", true],
    ['import {\n  a, // it\'s "a"\n  b,\n} from "./a.ts";', "./a.ts", false],
    ['import "./style.css";', "./style.css", false],
    ['export * from "./a.ts";', "./a.ts", false],
    ['export { a } from "./a.ts";', "./a.ts", false],
    ['export type { A } from "./a.ts";', "./a.ts", true],
    ['const a = await import("./a.ts");', "./a.ts", false],
    ['const a = lazy(() =>\n  import(\n    "./a.ts"\n  ));', "./a.ts", false],
    ['type A = typeof import("./a.ts");', "./a.ts", true],
    ['type A = import("./a.ts").B;', "./a.ts", true],
  ])("reads %j", (text, specifier, isTypeOnly) => {
    const { imports } = toModule("test/x.ts", text);
    expect(imports).toMatchObject([{ specifier, isTypeOnly }]);
  });

  it.each([
    '// import { a } from "./a.ts";',
    '/**\n * import("./a.ts") would load it\n */',
    '  // const a = await import("./a.ts");',
    'export type A = "./a.ts";',
  ])("finds no import in %j", (text) => {
    expect(toModule("test/x.ts", text).imports).toEqual([]);
  });

  it("resolves relative imports only", () => {
    const { imports } = toModule(`${server}/chat/a.ts`, 'import "../ids.ts";\nimport "pino";\n');
    expect(imports.map(({ file }) => file)).toEqual([`${server}/ids.ts`, null]);
  });
});

describe("the length of a file", () => {
  it("is limited to 500 lines", () => {
    expect(findProblems([toModule("scripts/x.ts", "x;\n".repeat(500))])).toEqual([]);
    expect(findProblems([toModule("scripts/x.ts", "x;\n".repeat(501))])).toEqual(["scripts/x.ts: 501 lines, over 500"]);
  });

  it.each([
    "packages/widget/src/locales/en.ts",
    `${server}/db/migrations/0001-initial.ts`,
    `${server}/chat/chat.test.ts`,
  ])("is not limited for %s", (path) => {
    expect(findProblems([toModule(path, "x;\n".repeat(501))])).toEqual([]);
  });
});

describe("a thread", () => {
  const thread = `${server}/db/sqlite/read-thread.ts`;
  /** The problems when a file that the thread imports has this line. */
  const problemsWith = (line: string, others: Record<string, string[]> = {}) =>
    findProblems([
      ...createTree({ [thread]: ["../../errors.ts"], ...others }),
      toModule(`${server}/errors.ts`, `${line}\n`),
    ]);

  it("must not load the schemas of the contract, which every thread would load again", () => {
    const [problem] = problemsWith('import { agent } from "@foyer/contract";');
    expect(problem).toBe(
      `${thread}: the thread loads schemas of the contract, because ${server}/errors.ts imports @foyer/contract`,
    );
    const rules = { "packages/contract/src/rules/roles.ts": ["typebox"] };
    expect(problemsWith('import { roles } from "@foyer/contract/rules/roles";', rules)).toHaveLength(1);
  });

  it("may import types and rules of the contract", () => {
    expect(problemsWith('import type { Agent } from "@foyer/contract";')).toEqual([]);
    const rules = { "packages/contract/src/rules/roles.ts": [] };
    expect(problemsWith('import { roles } from "@foyer/contract/rules/roles";', rules)).toEqual([]);
  });
});

describe("import cycles", () => {
  /** A server file that imports only types from these files. */
  const typesOf = (path: string, ...files: string[]) =>
    toModule(`${server}/${path}`, files.map((file) => `import type { T } from "${file}";\n`).join(""));

  it("are refused even if they consist only of types, and their files are listed in order", () => {
    const modules = [typesOf("chat/a.ts", "./b.ts"), typesOf("chat/b.ts", "./c.ts"), typesOf("chat/c.ts", "./a.ts")];
    const names = ["a", "b", "c", "a"].map((name) => `${server}/chat/${name}.ts`);
    expect(findProblems(modules)).toEqual([`import cycle: ${names.join(" > ")}`]);
    expect(findProblems(modules.slice(0, 2))).toEqual([]);
  });

  it("are refused between a folder and a file beside it, even when no two files import each other", () => {
    const modules = [typesOf("deps.ts", "./auth/keys.ts"), typesOf("auth/routes.ts", "../deps.ts")];
    expect(findProblems(modules)).toEqual([`import cycle in ${server}: deps.ts > auth > deps.ts`]);
    expect(findProblems(modules.slice(1))).toEqual([]);
  });

  it("are refused between sub-folders of any package", () => {
    const widget = "packages/widget/src";
    const modules = [
      toModule(`${widget}/chat/view/a.ts`, 'import "../state/b.ts";'),
      toModule(`${widget}/chat/state/c.ts`, 'import "../view/d.ts";'),
    ];
    expect(findProblems(modules)).toEqual([`import cycle in ${widget}/chat: view > state > view`]);
    expect(findProblems(modules.slice(1))).toEqual([]);
  });

  it("are reported as two when they share a file", () => {
    const graph = new Map([
      ["a", ["b", "c"]],
      ["b", ["a"]],
      ["c", ["a"]],
    ]);
    expect(findCycles(graph)).toEqual([
      ["a", "b", "a"],
      ["a", "c", "a"],
    ]);
  });
});

describe("imports between packages", () => {
  it.each([
    ["contract", 'import Type from "typebox";'],
    ["server", 'import * as contract from "@foyer/contract";'],
    ["server", 'import { pino } from "pino";'],
    ["server", 'import meta from "../package.json" with { type: "json" };'],
    ["sdk", 'import type { Agent } from "@foyer/contract";'],
    ["widget", 'import { createClient } from "@foyer/sdk";'],
    ["widget", 'import { matchPage } from "@foyer/contract/rules/match-page.ts";'],
    ["dashboard", 'import { matchPage } from "@foyer/contract/rules/match-page.ts";'],
  ])("allow %s to import %s", (name, line) => {
    expect(findLineProblems(`packages/${name}/src/x.ts`, line)).toEqual([]);
  });

  it.each([
    ["contract", 'import { readFileSync } from "node:fs";'],
    ["contract", 'import type { Stats } from "fs";'],
    ["contract", 'import { x } from "typebox-extras";'],
    ["server", 'import { createClient } from "@foyer/sdk";'],
    ["server", 'import { agent } from "../../contract/src/agents/agent.ts";'],
    ["server", 'import { startServer } from "../../../test/server.ts";'],
    ["sdk", 'import { Agent } from "@foyer/contract";'],
    ["widget", 'import { Agent } from "@foyer/contract";'],
    ["widget", 'export * from "@foyer/contract";'],
    ["dashboard", 'import { Agent } from "@foyer/contract";'],
    ["dashboard", 'type App = typeof import("@foyer/server");'],
  ])("do not allow %s to import %s", (name, line) => {
    expect(findLineProblems(`packages/${name}/src/x.ts`, line)).toEqual([
      expect.stringContaining(`packages/${name}/src/x.ts: ${name} must not import `),
    ]);
  });
});

describe("imports between folders of the server", () => {
  it.each([
    ["chat/x.ts", 'import { a } from "../agents/service.ts";'],
    ["chat/x.ts", 'import { a } from "../http/sse.ts";'],
    ["agents/x.ts", 'import { a } from "./store.ts";'],
    ["chat/x.ts", 'import type { A } from "../agents/store.ts";'],
    ["main.ts", 'import { a } from "./auth/account-store.ts";'],
    ["agents/agent.test.ts", 'import { a } from "../chat/service.ts";'],
  ])("allow %s to import %s", (path, line) => {
    expect(findLineProblems(`${server}/${path}`, line)).toEqual([]);
  });

  it.each([
    ["agents/x.ts", 'import { a } from "../tools/run-tool.ts";', "tools/ is right of agents/"],
    ["tools/x.ts", 'import type { A } from "../chat/agent-loop.ts";', "chat/ is right of tools/"],
    ["http/x.ts", 'import { a } from "../auth/sessions/sessions.ts";', "http/ imports no resource"],
    ["outbound/x.ts", 'import type { A } from "../forms/submission-store.ts";', "outbound/ imports no resource"],
    ["chat/x.ts", 'import { a } from "../agents/store.ts";', "a store is called only in its own folder"],
    ["chat/x.ts", 'import { a } from "../auth/members/store.ts";', "a store is called only in its own folder"],
    ["outbox/x.ts", 'import { a } from "../forms/submission-store.ts";', "outbox/ imports no resource"],
    ["setup/x.ts", 'const a = await import("../auth/account-store.ts");', "a store is called only in its own folder"],
  ])("do not allow %s to import %s", (path, line, reason) => {
    expect(findLineProblems(`${server}/${path}`, line)).toEqual([
      expect.stringMatching(new RegExp(`^${server}/.*${reason}$`)),
    ]);
  });
});

it.each(["packages/extra/src/x.ts", `${server}/webhooks/x.ts`])(
  "check-style requires rules for the new folder of %s",
  (path) => {
    expect(findLineProblems(path, "x;")).toEqual([expect.stringMatching(/: add (what the package|the position of)/)]);
  },
);

describe("file names", () => {
  it.each([
    "packages/widget/src/utils/x.ts",
    "packages/widget/src/chat/common/x.ts",
    "packages/widget/src/chat/types.ts",
    "packages/widget/src/chat/index.ts",
  ])("cannot be %s", (path) => {
    expect(findLineProblems(path, "x;")).toEqual([expect.stringContaining(`${path}: `)]);
  });
});

describe("the check-style command", () => {
  /** Runs the script in a directory with these files. */
  function runIn(files: Record<string, string>) {
    const cwd = mkdtempSync(join(tmpdir(), "check-style-"));
    onTestFinished(() => rmSync(cwd, { recursive: true }));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(cwd, dirname(path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    }
    const script = join(import.meta.dirname, "check-style.ts");
    return spawnSync(process.execPath, [script], { cwd, encoding: "utf8" });
  }

  it("prints the number of files when there are no problems", () => {
    const run = runIn({
      "packages/widget/src/chat/bubble.tsx": "x;\nx;\n",
      "e2e/chat.test.ts": "x;\n".repeat(900),
      "packages/widget/node_modules/lib/index.ts": "x;\n".repeat(900),
      "bench/run.ts": "x;\n",
    });
    expect(run).toMatchObject({ status: 0, stderr: "" });
    expect(run.stdout).toBe("No problems in 3 files.\n");
  });

  it("lists the problems and fails", () => {
    const run = runIn({ "scripts/utils/x.ts": "", "packages/sdk/src/y.ts": 'import "@foyer/server";\n' });
    expect(run).toMatchObject({ status: 1, stdout: "" });
    expect(run.stderr.trim().split("\n")).toHaveLength(2);
  });

  it("fails when there is nothing to check", () => {
    expect(runIn({})).toMatchObject({ status: 1, stderr: expect.stringContaining("no source files") });
  });
});
