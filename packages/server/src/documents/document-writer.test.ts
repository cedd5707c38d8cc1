import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { type DocumentClient, openDocuments } from "../../../../test/document-client.ts";
import { createAgent } from "../../../../test/factories.ts";
import { createDocumentStore } from "./store.ts";

onBothDatabases("the document writer", (createDatabase) => {
  let database: TestDatabase;
  let client: DocumentClient;
  beforeAll(async () => {
    database = await createDatabase();
    client = await openDocuments({ database });
  });
  afterAll(async () => {
    await client.server.stop();
    await database.drop();
  });

  it("deletes most of a large document before the transaction that deletes its row", async () => {
    const { id: documentId, agentId } = (await client.create({ kind: "text", title: "Large", text: "A long text." }))
      .body;
    await client.settled(documentId);
    const { organizationId } = client.account;
    const { deps } = client.server;
    const { db } = deps;
    const owner = { organizationId, agentId, model: "test/model" };
    await db
      .insertInto("agentEmbeddings")
      .values({ ...owner, nextNumber: 1, endNumber: 1, dimensions: 8, vectors: 150, readyAt: 1 })
      .execute();
    const vectors = Array.from({ length: 150 }, (_, number) => ({
      ...owner,
      documentId,
      number,
      vector: Buffer.alloc(8),
    }));
    await db.insertInto("chunkVectors").values(vectors).execute();
    const store = createDocumentStore(deps);
    expect(await store.large(organizationId, [documentId])).toEqual([]);
    await db.updateTable("documents").set({ characters: 1_000_001 }).where("id", "=", documentId).execute();
    expect(await store.large(organizationId, [documentId])).toEqual([{ id: documentId, agentId }]);
    await store.shrink(organizationId, { id: documentId, agentId });
    const left = (table: "documentTexts" | "chunkVectors") =>
      db.selectFrom(table).select("documentId").where("documentId", "=", documentId).execute();
    expect([await left("documentTexts"), await left("chunkVectors")]).toEqual([[], []]);
    const counted = db.selectFrom("agentEmbeddings").select("vectors").where("agentId", "=", agentId);
    expect(await counted.executeTakeFirst()).toEqual({ vectors: 0 });
    expect((await client.account.call("DELETE", `/documents/${documentId}`)).status).toBe(200);
    expect((await client.account.call("GET", `/documents/${documentId}`)).status).toBe(404);
  });

  it("stores one document when its external key is used for the first time in several requests at once", async () => {
    const { agentId } = client;
    const texts = ["First.", "Second.", "Third."];
    const put = (text: string) =>
      client.account.call("PUT", "/documents/by-key/new", { agentId, kind: "text", title: "New", text });
    const saved = await Promise.all([...texts.map(put), client.upload("Fourth.", "new.txt", "&externalKey=new")]);
    expect(saved.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(saved.map(({ body }) => body.id)).size).toBe(1);
  });

  it("keeps no file of an upload that is refused", async () => {
    const { db } = client.server.deps;
    const account = await client.server.createAccount("free");
    const agentId = await createAgent(account);
    const documents = Array.from({ length: 20 }, (_, n) => ({
      agentId,
      kind: "text",
      title: `T${n}`,
      text: `Text ${n}`,
    }));
    await Promise.all(documents.map((document) => account.call("POST", "/documents", document)));
    const response = await client.server.app.inject({
      method: "POST",
      url: `/documents/upload?agentId=${agentId}&name=large.txt`,
      headers: { ...account.headers, "content-type": "application/octet-stream" },
      // The file is longer than one part, so it is stored before the document.
      payload: Buffer.alloc(600_000, "A text. "),
    });
    expect(response.json()).toMatchObject({ error: { code: "DOCUMENT_LIMIT_REACHED" } });
    const files = db.selectFrom("documentFiles").select("id").where("agentId", "=", agentId);
    await expect.poll(async () => (await files.execute()).length).toBe(20);
  });
});
