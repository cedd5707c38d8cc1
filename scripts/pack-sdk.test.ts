import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../test/server.ts";

const root = join(import.meta.dirname, "..");
const tsc = join(root, "node_modules/typescript/bin/tsc");

/** A program written by a user who has only the package. */
const program = `
import { createClient, createManagementClient, FoyerError, type Output } from "@foyer/sdk";

const [baseUrl = "", apiKey = ""] = process.argv.slice(2);
const owner = createManagementClient({ baseUrl, apiKey });
const agent: Output<"createAgent"> = await owner.createAgent({ body: { name: "Harbour", systemPrompt: "We open at nine." } });
let said = "";
const messages = [{ role: "user" as const, content: "When do you open?" }];
for await (const event of createClient({ baseUrl }).chat({ agentId: agent.id, messages })) {
  if (event.type === "content_block_delta" && event.delta.type === "text_delta") said += event.delta.text;
}
const error: unknown = await owner.getAgent({ id: "agent_none" }).catch((cause: unknown) => cause);
const code = error instanceof FoyerError ? error.code : null;
const names: string[] = (await owner.listAgents()).map(({ name }) => name);
process.stdout.write(JSON.stringify({ said, code, names }));
`;

const mistakes = `
import { createManagementClient, type Output } from "@foyer/sdk";

const owner = createManagementClient({ baseUrl: "", apiKey: "" });
// @ts-expect-error: it has to have a name
await owner.createAgent({ body: {} });
// @ts-expect-error: there is no such endpoint
await owner.createAgents();
const budget: Output<"getAgent">["monthlyTokenBudget"] = null;
// @ts-expect-error: it may be null
export const tokens: number = budget as Output<"getAgent">["monthlyTokenBudget"];
`;

/** Lists, by name, every difference between the package's declarations and the sources. */
const comparison = `
import type * as packed from "@foyer/sdk";
import type * as source from "${root}/packages/sdk/src/index.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Flat<T> = T extends (...any: never[]) => unknown ? T : T extends object ? { [K in keyof T]: Flat<T[K]> } : T;
type Equal<A, B> = Same<Flat<A>, Flat<B>>;
type Name = source.EndpointName;
type Differing = {
  [N in Name]: Equal<source.Output<N>, packed.Output<N>> extends true
    ? Equal<source.Input<N>, packed.Input<N>> extends true ? never : N
    : N;
}[Name];
export const names: Equal<packed.EndpointName, Name> = true;
export const events: Equal<packed.ChatEvent, source.ChatEvent> = true;
export const unlike: [Differing] extends [never] ? true : Differing = true;
// The comparison itself tells one from the other.
export const control: Equal<{ a: { b?: string } }, { a: { b: string } }> = false;
`;

describe("the SDK package that the server offers", () => {
  let project: string;
  let server: TestServer;
  beforeAll(async () => {
    project = mkdtempSync(join(tmpdir(), "foyer-sdk-"));
    server = await startServer({ listen: true });
    for (const name of ["sdk", "widget"]) {
      const answer = await fetch(`${server.url}/packages/foyer-${name}.tgz`);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/gzip"]);
      const tarball = join(project, `foyer-${name}.tgz`);
      writeFileSync(tarball, Buffer.from(await answer.arrayBuffer()));
      const place = join(project, "node_modules/@foyer", name);
      mkdirSync(place, { recursive: true });
      execFileSync("tar", ["-xzf", tarball, "-C", place, "--strip-components=1"]);
    }
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    rmSync(project, { recursive: true, force: true });
  });

  const compile = (files: Record<string, string>, ...flags: string[]) => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
    const options = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck", "false"];
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
    try {
      execFileSync(process.execPath, [tsc, ...options, ...types, ...flags, ...Object.keys(files)], {
        cwd: project,
        stdio: "pipe",
      });
      return "";
    } catch (error) {
      return String((error as { stdout?: Buffer }).stdout ?? error);
    }
  };

  it("holds code, declarations and a README, and has no dependencies", () => {
    const place = join(project, "node_modules/@foyer/sdk");
    const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
    expect(manifest.dependencies).toBeUndefined();
    const license = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).license;
    expect([manifest.license, manifest.sideEffects]).toEqual([license, false]);
    expect(readdirSync(place).sort()).toEqual(["README.md", "lib", "package.json"]);
    const files = readdirSync(join(place, "lib"), { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => /test|\.ts$/.test(name) && !name.endsWith(".d.ts"))).toEqual([]);
    for (const name of files.filter((name) => name.includes("."))) {
      expect(readFileSync(join(place, "lib", name), "utf8")).not.toMatch(
        /@foyer\/contract["']|from ["']typebox["']|\.ts["']/,
      );
    }
  });

  it.each(["sdk", "widget"])("%s: its package.json names only what the package contains", (name) => {
    const place = join(project, "node_modules/@foyer", name);
    const manifest = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
    expect(Object.keys(manifest)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(private|scripts|devDependencies)$/)]),
    );
    expect(Object.keys(manifest.exports)).toEqual(["."]);
    expect(Object.keys(manifest.exports["."])).toEqual(["types", "default"]);
    for (const path of Object.values<string>(manifest.exports["."])) expect(existsSync(join(place, path))).toBe(true);
  });

  it("compiles and runs in a project that has nothing else installed, and its types reject wrong calls", async () => {
    expect(compile({ "program.ts": program, "mistakes.ts": mistakes })).toBe("");
    const { key } = await server.createAccount();
    const parameters = ["program.js", server.url, key];
    const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd: project });
    const { said, code, names } = JSON.parse(stdout);
    expect(said).toContain("nine");
    expect([code, names]).toEqual(["NOT_FOUND", ["Harbour"]]);
  });

  it.each([
    ["the project's Node", () => process.execPath],
    ["the first Node in PATH that is not the project's", installedNode],
  ])("is imported by %s, like the widget's package", async (_, node) => {
    const code = `const names = async (name) => Object.keys(await import(name));
      console.log(JSON.stringify([process.version, ...await names("@foyer/sdk"), ...await names("@foyer/widget")]));`;
    const { stdout } = await promisify(execFile)(node(), ["--input-type=module", "-e", code], { cwd: project });
    expect(JSON.parse(stdout)).toEqual(expect.arrayContaining(["createClient", "verifyWebhook", "loadFoyer"]));
  });

  it("declares the same types as the sources for every endpoint", () => {
    const flags = ["--noEmit", "--allowImportingTsExtensions", "--exactOptionalPropertyTypes"];
    expect(compile({ "comparison.ts": comparison }, ...flags)).toBe("");
  }, 60_000);
});

/** npm puts the folders of its packages first, and one of them has the Node of the project. */
function installedNode(): string {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  return folders.map((folder) => join(folder, "node")).find((path) => existsSync(path)) ?? process.execPath;
}
