import { closeSync, openSync, writeSync } from "node:fs";
import { sql } from "kysely";
import { expect, it } from "vitest";
import { createSqlite } from "../../../../test/databases.ts";
import { createAgent } from "../../../../test/factories.ts";
import { startServer } from "../../../../test/server.ts";

const PAGE = 4_096;
const MALFORMED = "database disk image is malformed";

it.each([
  ["header", { "content-encoding": MALFORMED }, "{}"],
  ["header with the name of an error", { "content-encoding": `SqliteError: ${MALFORMED}` }, "{}"],
  ["body", {}, JSON.stringify({ [MALFORMED]: MALFORMED })],
])("a server stays ready when a request repeats the text of an SQLite error in its %s", async (_, headers, payload) => {
  const server = await startServer();
  const sent = { "content-type": "application/json", ...headers };
  const { statusCode, body } = await server.app.inject({
    method: "POST",
    url: "/triggers/event",
    headers: sent,
    payload,
  });
  expect(statusCode).toBeGreaterThanOrEqual(400);
  if ("content-encoding" in headers) expect(body).not.toContain(MALFORMED);
  expect((await server.app.inject({ url: "/readyz" })).statusCode).toBe(200);
  await server.stop();
});

it("a server whose database has damaged pages is not ready, although other pages can be written", async () => {
  const database = await createSqlite();
  const server = await startServer({ database });
  const { call } = await server.createAccount();
  const agentId = await createAgent({ call });
  const readiness = async () => (await server.app.inject({ url: "/readyz" })).statusCode;
  expect(await readiness()).toBe(200);
  const { db } = server.deps;
  const pages = await sql<{ rootpage: number }>`select rootpage from sqlite_master where tbl_name = 'tools'`.execute(
    db,
  );
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
  await sql`pragma shrink_memory`.execute(db);
  const { address } = database;
  const file = openSync(address.kind === "sqlite" ? address.file : "", "r+");
  for (const { rootpage } of pages.rows) writeSync(file, Buffer.alloc(PAGE, 0x5a), 0, PAGE, (rootpage - 1) * PAGE);
  closeSync(file);
  expect((await call("GET", `/tools?agentId=${agentId}`)).status).toBe(500);
  expect(await readiness()).toBe(503);
  await server.stop();
  await database.drop();
});
