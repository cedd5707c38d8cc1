import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { type DocumentClient, openDocuments } from "../../../../../test/document-client.ts";
import { inTransaction } from "../../db/transaction.ts";
import { connect } from "./index-connection.ts";
import { deleteStrayChunks } from "./maintain-index.ts";
import { removeFromIndex, stageChunks } from "./passage-index.ts";
import { prepareDocument } from "./prepare-document.ts";

onBothDatabases("the passages of large documents", (createDatabase) => {
  let database: TestDatabase;
  let client: DocumentClient;
  let organizationId: string;
  beforeAll(async () => {
    database = await createDatabase();
    client = await openDocuments({ database });
    const { db } = client.server.deps;
    ({ organizationId } = await db.selectFrom("agents").select("organizationId").executeTakeFirstOrThrow());
  });
  afterAll(async () => {
    await client.server.stop();
    await database.drop();
  });

  async function stage(documentId: string, version: number) {
    const passages = Array.from({ length: 250 }, (_, ordinal) => ({
      ordinal,
      heading: null,
      page: null,
      text: `Passage ${ordinal}.`,
      part: "body" as const,
    }));
    const prepared = prepareDocument({ title: "Large", languages: ["en"], passages });
    await stageChunks(
      client.server.deps.db,
      { organizationId, agentId: client.agentId, documentId, version },
      prepared,
    );
  }

  async function readVersions(documentId: string): Promise<number[]> {
    const chunks = client.server.deps.db.selectFrom("documentChunks").select("version").distinct();
    return (await chunks.where("documentId", "=", documentId).orderBy("version").execute()).map((row) => row.version);
  }

  async function sweep() {
    const connection = await connect(client.server.deps.config.database, "write");
    await deleteStrayChunks(connection);
    await connection.close();
  }

  async function createReady(title: string): Promise<string> {
    const { body } = await client.create({ kind: "text", title, text: `${title}: we repair bikes.` });
    await client.settled(body.id);
    return body.id;
  }

  it("are deleted after the transaction that replaces or deletes the document, whichever version left them", async () => {
    const id = await createReady("Replaced");
    await stage(id, 0);
    await client.account.call("PUT", `/documents/${id}`, { text: "We repair bikes on Mondays." });
    await client.settled(id);
    await expect.poll(() => readVersions(id)).toEqual([2]);
    const scope = { organizationId, agentId: client.agentId, documentIds: [id] };
    const { db } = client.server.deps;
    await inTransaction(db, (trx) => removeFromIndex(trx, scope));
    expect(await readVersions(id)).toEqual([2]);
    // Simulates a crash before the first success: there are passages, but no entry in the index.
    await stage(id, 3);
    expect((await client.account.call("DELETE", `/documents/${id}`)).status).toBe(200);
    expect(await readVersions(id)).toEqual([]);
  });

  it("are deleted by index maintenance when a process that ended left them, unless a job still writes them", async () => {
    const id = await createReady("Kept");
    await stage("doc_deleted", 1);
    await stage(id, 2);
    const { db } = client.server.deps;
    const job = { documentId: id, organizationId, agentId: client.agentId, version: 2, attempts: 1, fence: 1 };
    await db
      .insertInto("documentJobs")
      .values(Object.assign(job, { dueAt: 9e12 }))
      .execute();
    await sweep();
    expect(await readVersions("doc_deleted")).toEqual([]);
    expect(await readVersions(id)).toEqual([1, 2]);
    await db.deleteFrom("documentJobs").where("documentId", "=", id).execute();
    await sweep();
    expect(await readVersions(id)).toEqual([1]);
  });
});
