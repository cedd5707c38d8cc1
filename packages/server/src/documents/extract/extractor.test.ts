import { execFile, spawnSync } from "node:child_process";
import { getPriority } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { createDocx, createHugeStream, createPdf, zip } from "../../../../../test/sample-files.ts";
import { lowerPriority, sandboxFlags } from "./extraction-child.ts";
import { createExtractor, type Extractor } from "./extractor.ts";

const extractor = createExtractor({ silenceMs: 3_000 });
afterAll(() => extractor.close());

const job = {
  kind: "file" as "file" | "text",
  title: "T",
  isUnnamed: false,
  isStartPage: false,
  isIndexed: true,
  declared: { charset: null, format: null },
};

async function* inParts(content: Buffer) {
  for (let start = 0; start < content.length; start += 262_144) yield content.subarray(start, start + 262_144);
}

type Reading = {
  reader?: Extractor;
  organizationId?: string;
  kind?: "file" | "text";
  isIndexed?: boolean;
  signal?: AbortSignal;
};

/** @returns the number of chunks, or the code or message of the error */
function read(content: Buffer | string, options: Reading = {}): Promise<number | string> {
  const { reader = extractor, organizationId = "org", kind = "file", isIndexed = true } = options;
  const { signal = new AbortController().signal } = options;
  const file = { job: { ...job, kind, isIndexed }, parts: inParts(Buffer.from(content)), onProgress: () => {} };
  return reader.extract({ organizationId, signal }, file).then(
    ({ prepared }) => prepared.chunks.length,
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
}

/** The default data folder of a server that is started in the repository. */
const dataFolder = join(import.meta.dirname, "../../../../../data");

/** Reading this file takes longer than any test. */
const endless = createDocx("<w:p>".repeat(500_000));

const pageLoop = { 2: "<< /Type /Pages /Kids [2 0 R] /Count 1 >>" };

it.each([
  ["a PDF that unpacks to 300 MB", createPdf([["x"]], { 5: createHugeStream(300) }), "OUT_OF_MEMORY"],
  ["a PDF whose pages contain themselves", createPdf([["x"]], pageLoop), "DAMAGED"],
  ["a DOCX file with half a million open elements", endless, "TOO_SLOW"],
  [
    "an archive of 12,000 parts",
    zip(Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`word/${n}.xml`, "x"]))),
    "TOO_LARGE",
  ],
])("the extractor fails %s with a reason, and reads the next file", async (_, file, code) => {
  expect(["OUT_OF_MEMORY", "TOO_SLOW", code]).toContain(await read(file));
  expect(await read("A city bike costs 20 € a day.")).toBe(1);
});

/** Without time limits, because a busy machine takes long for large files. */
const patient = createExtractor({ silenceMs: 100_000, timeoutMs: 100_000 });
afterAll(() => patient.close());
const words = Array.from({ length: 4_000 }, (_, index) => `word${index.toString(36)}`);
const text = (bytes: number) => {
  let written = "";
  for (let line = 0; written.length < bytes; line++) written += `${words[line % 4_000]} costs ${line} euros a day.\n`;
  return written.slice(0, bytes);
};
const row = (number: number) => Array.from({ length: 10 }, (_, column) => `${number * column}`).join(",");
const table = (bytes: number) => {
  const header = Array.from({ length: 10 }, (_, column) => `A long name of the column ${column}`).join(",");
  let written = `${header}\n`;
  for (let number = 0; written.length < bytes; number++) written += `${row(number)}\n`;
  return written.slice(0, bytes);
};

it.each([
  ["a text of 6 MB", text(6_000_000)],
  ["a table of 1 MB whose column names are longer than its cells", table(1_000_000)],
])("the extractor prepares %s for the search", async (_, content) => {
  expect(await read(content, { reader: patient })).toBeGreaterThan(100);
});

it.each([
  ["a text of 10 MB", text(10 * 1024 * 1024)],
  ["a table of 10 MB", table(10 * 1024 * 1024)],
])("the extractor reads %s", async (_, content) => {
  expect(await read(content, { reader: patient, isIndexed: false })).toBe(0);
});

it("the extractor refuses no file because of the files before it", async () => {
  const results = [];
  for (let file = 0; file < 5; file++) results.push(await read(text(6_000_000), { reader: patient }));
  expect(results).toEqual(Array(5).fill(results[0]));
  expect(results[0]).toBeGreaterThan(100);
});

it("the extractor reads a text of emoji only", async () => {
  expect(await read("👍")).toBe(1);
});

it("the extractor reads the files of one organization one at a time", async () => {
  expect(await Promise.all(["One.", "Two.", "Three."].map((text) => read(text)))).toEqual([1, 1, 1]);
  expect(extractor.pids()).toHaveLength(1);
});

it("the extractor reads another organization's file while slow files are being read and waiting", async () => {
  const shared = createExtractor();
  const stopped = new AbortController();
  const { signal } = stopped;
  const slow = () => read(endless, { reader: shared, organizationId: "slow", signal });
  const slowFiles = [slow(), slow(), slow()];
  expect(await read("One.", { reader: shared, organizationId: "other" })).toBe(1);
  expect(shared.pids()).toHaveLength(2);
  stopped.abort(new Error("Canceled."));
  expect(await Promise.all(slowFiles)).toEqual(["Canceled.", "Canceled.", "Canceled."]);
  shared.close();
});

it("the extractor reads a text while files of four organizations occupy and await its other processes", async () => {
  const shared = createExtractor();
  const stopped = new AbortController();
  const { signal } = stopped;
  const slow = ["a", "b", "c", "d"].map((organizationId) => read(endless, { reader: shared, organizationId, signal }));
  expect(await read("One.", { reader: shared, organizationId: "honest", kind: "text" })).toBe(1);
  stopped.abort(new Error("Canceled."));
  expect(await Promise.all(slow)).toEqual(Array(4).fill("Canceled."));
  shared.close();
});

it("the extractor reads a text of an organization that has used much time while its file is being read", async () => {
  const measure = <T>(_: string, work: () => Promise<T>) => work();
  const heavy = createExtractor({}, { isHeavy: () => true, measure });
  const stopped = new AbortController();
  const slow = read(endless, { reader: heavy, signal: stopped.signal });
  expect(await read("One.", { reader: heavy, kind: "text" })).toBe(1);
  stopped.abort(new Error("Canceled."));
  expect(await slow).toBe("Canceled.");
  heavy.close();
});

it("lowering the priority of a process that has ended does nothing", () => {
  expect(() => lowerPriority(spawnSync(process.execPath, ["--version"]).pid)).not.toThrow();
});

it("the extraction process can read code, but no other file, and cannot write, connect or start programs", async () => {
  const script = `
    const fs = require("node:fs");
    const attempts = {
      code: () => fs.readFileSync(${JSON.stringify(import.meta.filename)}),
      environment: () => fs.readFileSync("/proc/" + process.ppid + "/environ"),
      passwords: () => fs.readFileSync("/etc/passwd"),
      data: () => fs.readFileSync(${JSON.stringify(join(dataFolder, "secret"))}),
      list: () => fs.readdirSync("/"),
      write: () => fs.writeFileSync(${JSON.stringify(join(import.meta.dirname, "written"))}, "x"),
      program: () => require("node:child_process").execSync("id"),
    };
    const outcomes = {};
    for (const [name, attempt] of Object.entries(attempts)) {
      try { attempt(); outcomes[name] = "allowed"; } catch (error) { outcomes[name] = error.code; }
    }
    console.log(JSON.stringify(outcomes));`;
  const { stdout } = await promisify(execFile)(process.execPath, [...sandboxFlags, "-e", script], { env: {} });
  const denied = "ERR_ACCESS_DENIED";
  expect(JSON.parse(stdout)).toEqual({
    code: "allowed",
    environment: denied,
    passwords: denied,
    data: denied,
    list: denied,
    write: denied,
    program: denied,
  });
});

it("the extraction process can neither signal the server, nor change its priority, nor open a database, nor start a thread", async () => {
  const script = `
    const { Worker } = require("node:worker_threads");
    const os = require("node:os");
    const attempts = {
      kill: () => process.kill(process.ppid, 0),
      kill_directly: () => process._kill(process.ppid, 0),
      debug: () => process._debugProcess(process.ppid),
      binding: () => process.binding("process_methods"),
      priority: () => os.setPriority(process.ppid, 19),
      database: () => process.getBuiltinModule("node:sqlite").DatabaseSync,
      thread: () => new Worker("process.kill(process.ppid, 0)", { eval: true }),
      thread_again: () => { process.permission.add("worker"); },
    };
    const results = (async () => {
      const { dropPrivileges } = await import(${JSON.stringify(new URL("./drop-privileges.ts", import.meta.url))});
      const before = process.kill(process.ppid, 0);
      dropPrivileges();
      const late = await import("node:os");
      const allowed = [];
      for (const [name, attempt] of Object.entries({ ...attempts, import: () => late.setPriority(0) })) {
        try { attempt(); allowed.push(name); } catch {}
      }
      console.log(JSON.stringify({ before, allowed }));
    })();`;
  const { stdout } = await promisify(execFile)(process.execPath, [...sandboxFlags, "-e", script], { env: {} });
  expect(JSON.parse(stdout)).toEqual({ before: true, allowed: [] });
});

it("the extraction process has a lower priority than the server", async () => {
  await read("One.");
  expect(extractor.pids().map((pid) => getPriority(pid))).toEqual([10]);
});

it("the extractor gives the slot of a canceled file to the waiting organizations in turn", async () => {
  const shared = createExtractor();
  const canceled = new AbortController();
  const slow = read(endless, { reader: shared, organizationId: "a" });
  const busy = read(endless, { reader: shared, organizationId: "b", signal: canceled.signal });
  const order: string[] = [];
  const waiting = ["b", "b", "c"].map(async (organizationId) => {
    await read("Text.", { reader: shared, organizationId });
    order.push(organizationId);
  });
  canceled.abort(new Error("Canceled."));
  expect(await busy).toBe("Canceled.");
  await Promise.all(waiting);
  expect(order).toEqual(["b", "c", "b"]);
  shared.close();
  await slow;
});

it("the extractor ends an idle extraction process and starts another one for the next file", async () => {
  const idle = createExtractor({ idleMs: 50 });
  expect(await read("One.", { reader: idle })).toBe(1);
  await expect.poll(idle.pids).toEqual([]);
  expect(await read("Two.", { reader: idle })).toBe(1);
  idle.close();
});

it("the extractor fails the file that is being read, and those that wait, when it is closed", async () => {
  const closing = createExtractor();
  const readings = [read(endless, { reader: closing }), read("One.", { reader: closing })];
  await expect.poll(closing.pids).not.toEqual([]);
  closing.close();
  const message = "The server is shutting down.";
  expect(await Promise.all([...readings, read("Late.", { reader: closing })])).toEqual([message, message, message]);
});
