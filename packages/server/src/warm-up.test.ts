import { join } from "node:path";
import { expect, it } from "vitest";
import { startProcess, temporaryFolder } from "../../../test/process.ts";
import { createApp } from "./app.ts";
import { createDeps } from "./create-deps.ts";
import { openDatabase } from "./db/open.ts";
import type { Deps } from "./deps.ts";
import { warmUp } from "./warm-up.ts";

it("streams replies in memory until the time or the rounds are over", async () => {
  expect(await warmUp({ createDeps, createApp, maxMs: 600_000, maxRounds: 1 })).toBe(8);
  expect(await warmUp({ createDeps, createApp, maxMs: 0 })).toBe(0);
});

it("gives its server no database address, because threads would open that database", async () => {
  let config: Deps["config"] | undefined;
  const create: typeof createDeps = (...parts) => {
    [config] = parts;
    return createDeps(...parts);
  };
  await warmUp({ createDeps: create, createApp, maxMs: 0 });
  expect(config?.database).toEqual({ kind: "sqlite", file: ":memory:" });
});

it("leaves nothing of a start's sample replies in the database or the log", async () => {
  const folder = temporaryFolder();
  try {
    const server = await startProcess({ FOYER_DATA_DIR: folder.path, FOYER_WARM_UP: "200ms" });
    server.kill("SIGTERM");
    const { stderr, stdout } = await server.exited;
    expect(stderr).toBe("");
    expect(stdout).not.toContain("warm-up failed");
    const { db } = openDatabase({ kind: "sqlite", file: join(folder.path, "foyer.sqlite") }, () => {});
    for (const table of ["organizations", "agents", "conversations", "messages"] as const) {
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
    }
    await db.destroy();
  } finally {
    folder.remove();
  }
});
