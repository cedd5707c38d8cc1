import { expect, it } from "vitest";
import { onBothDatabases } from "../../../../test/databases.ts";
import { fillDocuments } from "../../../../test/large/large-data.ts";
import { startServer } from "../../../../test/server.ts";
import { newId } from "../ids.ts";
import { deleteAgentDocuments, deleteUnusedOriginals } from "./retention.ts";

const tables = [
  ...(["documents", "documentTexts", "documentFiles", "documentFileParts", "documentJobs"] as const),
  ...(["sources", "sourcePages"] as const),
];

onBothDatabases("deleting an agent", (createDatabase) => {
  it("deletes its documents in batches, so that the statement that deletes its row finds none", async () => {
    const database = await createDatabase();
    const server = await startServer({ database });
    const account = await server.createAccount();
    const { db, databaseKind } = server.deps;
    const { id: agentId } = (await account.call("POST", "/agents", { name: "Harbour" })).body.data;
    const { organizationId } = await db.selectFrom("agents").select("organizationId").executeTakeFirstOrThrow();
    await fillDocuments(db, databaseKind, { organizationId, agentId }, { documents: 3 });
    // Makes the deletion take more than one transaction.
    await db.updateTable("documents").set({ characters: 5_000_000 }).where("id", "like", "%0").execute();

    const counts = async () => {
      const counted = tables.map(async (table) => (await db.selectFrom(table).selectAll().execute()).length);
      return Object.fromEntries((await Promise.all(counted)).map((count, index) => [tables[index], count]));
    };
    expect(Object.values(await counts())).not.toContain(0);
    expect(await deleteAgentDocuments(db, "agent_00000000000000000000000000")).toBe(0);
    expect(Object.values(await counts())).not.toContain(0);
    expect(await deleteAgentDocuments(db, agentId)).toBe(3);
    expect(await counts()).toEqual(Object.fromEntries(tables.map((table) => [table, 0])));
    expect((await account.call("GET", `/agents/${agentId}`)).status).toBe(200);
    await server.stop();
    await database.drop();
  });
});

onBothDatabases("unused originals", (createDatabase) => {
  it("are all deleted by one sweep, however many an interrupted server has left, and younger ones are not", async () => {
    const database = await createDatabase();
    const server = await startServer({ database });
    const { db } = server.deps;
    const { organizationId, call } = await server.createAccount();
    const { id: agentId } = (await call("POST", "/agents", { name: "Harbour" })).body.data;
    const now = Date.now();
    const createFile = (createdAt: number) => ({ id: newId("file"), organizationId, agentId, createdAt });
    const old = Array.from({ length: 120 }, () => createFile(now - 3_600_001));
    const young = createFile(now - 3_500_000);
    await db
      .insertInto("documentFiles")
      .values([...old, young])
      .execute();
    await db
      .insertInto("documentFileParts")
      .values(old.map(({ id }) => ({ fileId: id, number: 0, content: Buffer.from("Bikes") })))
      .execute();
    expect(await deleteUnusedOriginals(db, now)).toBe(120);
    expect(await db.selectFrom("documentFiles").select("id").execute()).toEqual([{ id: young.id }]);
    expect(await db.selectFrom("documentFileParts").select("fileId").execute()).toEqual([]);
    await server.stop();
    await database.drop();
  });
});
