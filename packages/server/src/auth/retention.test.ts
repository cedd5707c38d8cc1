import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createBrowser, createOwner, signedInBrowser } from "../../../../test/session-client.ts";
import { deleteExpiredRows } from "./retention.ts";

const DAY_MS = 86_400_000;

onBothDatabases("account retention", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database, env: { HOST: "0.0.0.0", BASE_URL: "https://chat.example.com" } });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it("deletes each kind of row when it expires, and not before", async () => {
    const { db } = server.deps;
    const { email } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    await browser.call("POST", "/invitations", { email: "guest@example.com", role: "member" });
    await createBrowser(server).call("POST", "/auth/magic-link", { email });
    const tables = ["sessions", "verifications", "pendingLinks", "invitations", "auditLog"] as const;
    const counts = () =>
      Promise.all(tables.map(async (table) => (await db.selectFrom(table).select("id").execute()).length));
    await expect.poll(counts).toEqual([1, 1, 1, 1, 2]);
    const now = Date.now();
    await deleteExpiredRows(db, now);
    expect(await counts()).toEqual([1, 1, 1, 1, 2]);
    await deleteExpiredRows(db, now + 3_600_000);
    expect(await counts()).toEqual([1, 0, 0, 1, 2]);
    await deleteExpiredRows(db, now + 7 * DAY_MS + 60_000);
    expect(await counts()).toEqual([0, 0, 0, 1, 2]);
    await deleteExpiredRows(db, now + 38 * DAY_MS);
    expect(await counts()).toEqual([0, 0, 0, 0, 2]);
    await deleteExpiredRows(db, now + 401 * DAY_MS);
    expect(await counts()).toEqual([0, 0, 0, 0, 0]);
  });

  it("deletes more rows than fit into one batch", async () => {
    const { db } = server.deps;
    const { organizationId } = await createOwner(server);
    const row = { organizationId, at: 1, actorType: "user", actorId: "u", actorName: "n", action: "sign-in" } as const;
    const rows = Array.from({ length: 1_201 }, (_, i) => ({
      ...row,
      id: `log_${i}`,
      resource: null,
      resourceId: null,
      ip: "",
    }));
    for (let i = 0; i < rows.length; i += 100)
      await db
        .insertInto("auditLog")
        .values(rows.slice(i, i + 100))
        .execute();
    await deleteExpiredRows(db, Date.now());
    expect(await db.selectFrom("auditLog").select("id").where("at", "=", 1).execute()).toEqual([]);
  });
});
