import { pino } from "pino";
import { expect, it } from "vitest";
import { createTerminalLog } from "./terminal-log.ts";

function openLog() {
  const lines: string[] = [];
  const terminal = createTerminalLog({ write: (text) => lines.push(text) });
  return { lines, terminal, log: pino({}, terminal) };
}

it("the terminal log prints a request as one short line without the fields for programs", () => {
  const { lines, log } = openLog();
  log.info({ method: "GET", path: "/agents", status: 200, ms: 5, ip: "127.0.0.1", requestId: "x" }, "request");
  expect(lines).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d GET \/agents 200 5 ms\n$/)]);
});

it("the terminal log prints the level of warnings and errors, further fields, and an error with its stack", () => {
  const { lines, log } = openLog();
  log.warn({ err: new Error("no route"), attempt: 2, host: "db" }, "database connection lost");
  expect(lines[0]).toMatch(/^\S+ WARN database connection lost attempt=2 host=db \nError: no route\n {4}at /);
});

it("the terminal log repeats a reminder once it has scrolled away, until it is no longer needed", async () => {
  const { lines, log, terminal } = openLog();
  const asked: Array<PromiseWithResolvers<boolean>> = [];
  terminal.remind("Set up  http://localhost/\n", () => {
    asked.push(Promise.withResolvers<boolean>());
    return asked.at(-1)?.promise ?? Promise.resolve(false);
  });
  const shown = () => lines.filter((line) => line.startsWith("Set up")).length;
  const fill = () => Array.from({ length: 15 }, () => log.info("something"));
  fill();
  asked[0]?.resolve(true);
  await expect.poll(shown).toBe(2);
  fill();
  asked[1]?.resolve(false);
  await asked[1]?.promise;
  fill();
  expect([shown(), asked.length <= 3]).toEqual([2, true]);
});
