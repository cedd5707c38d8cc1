import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { createPostgres, onBothDatabases, type TestDatabase, withClient } from "../../../../../test/databases.ts";
import { openDocuments } from "../../../../../test/document-client.ts";
import { migrate } from "../../db/migrate.ts";
import { type OpenDatabase, openDatabase } from "../../db/open.ts";
import { inTransaction } from "../../db/transaction.ts";
import { deleteChunks, removeFromIndex, replaceInIndex, setSearchable } from "./passage-index.ts";
import { createPassageSearch, type PassageSearch } from "./passage-search.ts";
import { type Passage, prepareDocument } from "./prepare-document.ts";
import { searchPassages } from "./search-passages.ts";

const organizationId = "org_1";

/** Document ids are unique in the database, and each test has its own agent. */
const documentIdFor = (agentId: string, name: string) => `${agentId}-${name}`;

function createPassages(...texts: string[]): Passage[] {
  return texts.map((text, ordinal) => ({ ordinal, heading: null, page: null, text, part: "body" }));
}

function createFaqPassages(question: string, answer: string, ...wordings: string[]): Passage[] {
  const parts = [question, ...wordings].map((text) => ({ text, part: "question" as const }));
  return [...parts, { text: answer, part: "body" as const }].map((passage, ordinal) => ({
    ...passage,
    ordinal,
    heading: null,
    page: null,
  }));
}

onBothDatabases("the passage index", (createDatabase) => {
  let database: TestDatabase;
  let opened: OpenDatabase;
  let passageSearch: PassageSearch;
  let agentId: string;
  let agents = 0;
  beforeAll(async () => {
    database = await createDatabase();
    opened = openDatabase(database.address, () => {});
    await migrate(opened);
    passageSearch = createPassageSearch(opened, pino({ level: "silent" }));
  });
  afterAll(async () => {
    await passageSearch.close();
    await opened.db.destroy();
    await database.drop();
  });
  beforeEach(async () => {
    agentId = `agent_${++agents}`;
    const rest = { systemPrompt: null, temperature: 70, widget: "{}", allowedOrigins: "[]", allowedImageHosts: "[]" };
    const columns = { requireIdentity: 0, identitySecret: "", createdAt: 0, updatedAt: 0 } as const;
    const names = { id: agentId, organizationId, name: agentId, slug: agentId, model: null };
    await opened.db
      .insertInto("organizations")
      .values({
        id: organizationId,
        name: "One",
        slug: "one",
        logo: null,
        metadata: null,
        plan: "pro",
        createdAt: "2026-01-01T00:00:00.000Z",
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const row = Object.assign(names, rest, columns, { monthlyTokenBudget: null, budgetMessage: null });
    await opened.db.insertInto("agents").values(row).execute();
  });
  afterEach(() => passageSearch.settled());

  async function index(documentId: string, passages: Passage[], { version = 1, title = documentId } = {}) {
    const prepared = prepareDocument({ title, languages: ["en"], passages });
    const scope = { organizationId, agentId, documentId: documentIdFor(agentId, documentId), version };
    await inTransaction(opened.db, (trx) => replaceInIndex(trx, scope, { prepared: structuredClone(prepared) }));
  }

  async function search(query: string, more: { limit?: number; organizationId?: string } = {}) {
    const { hits } = await searchPassages(
      { passageSearch, embedQueries: async () => null },
      { organizationId, agentId, queries: [query], ...more },
    );
    return hits.map((hit) => ({
      ...hit,
      documentId: hit.documentId.slice(agentId.length + 1),
      chunkId: hit.chunkId.slice(agentId.length + 1),
    }));
  }

  const found = async (query: string) =>
    (await search(query)).map(({ documentId, ordinal }) => `${documentId}/${ordinal}`);

  /** Indexes forty short documents, which is enough for maintenance to merge them. */
  async function indexForty() {
    for (let n = 0; n < 40; n++)
      await index(`doc_${n}`, createPassages(`The warranty of model ${n} lasts ${n} months.`));
    passageSearch.maintain(agentId);
    await passageSearch.settled();
  }

  const segments = () =>
    opened.db.selectFrom("indexSegments").selectAll().where("agentId", "=", agentId).orderBy("id").execute();

  it("finds the passage that answers a question, and names the words that matched", async () => {
    await index("doc_returns", createPassages("You can return a bicycle within 30 days.", "We are closed on Sundays."));
    const [hit] = await search("How do I return my bicycles?");
    expect(hit).toMatchObject({
      documentId: "doc_returns",
      chunkId: "doc_returns.1.0",
      ordinal: 0,
      heading: null,
      page: null,
      text: "You can return a bicycle within 30 days.",
      matched: ["return", "bicycles"],
    });
    expect(hit?.score).toBeGreaterThan(0);
    expect(hit?.score).toBeLessThanOrEqual(1);
  });

  it("finds an FAQ entry by another wording, and returns its question and answer", async () => {
    await index("doc_faq", createFaqPassages("Can I cancel?", "Yes, until it ships.", "stop an order before dispatch"));
    await index("doc_other", createPassages("Orders are dispatched from Bremen."));
    const [hit] = await search("stop my order");
    expect(hit).toMatchObject({ documentId: "doc_faq", heading: "Can I cancel?", text: "Yes, until it ships." });
  });

  it("finds only the newest version of a document", async () => {
    await index("doc_a", createPassages("Delivery takes four days."));
    await index("doc_a", createPassages("Shipping takes two days."), { version: 2 });
    expect(await found("delivery")).toEqual([]);
    expect(await found("shipping")).toEqual(["doc_a/0"]);
    await deleteChunks(opened.db, { documentId: documentIdFor(agentId, "doc_a"), before: 2 });
    const chunks = opened.db.selectFrom("documentChunks").select("version").where("agentId", "=", agentId);
    expect(await chunks.execute()).toEqual([{ version: 2 }]);
  });

  it("reads segments again on a new connection, because a promoted standby may use their ids for others", async () => {
    if (opened.kind !== "postgres") return;
    await index("doc_lost", createPassages("Delivery takes four days."));
    expect(await found("delivery")).toEqual(["doc_lost/0"]);
    const [lost] = await segments();
    const documentIds = [documentIdFor(agentId, "doc_lost")];
    await inTransaction(opened.db, (trx) => removeFromIndex(trx, { organizationId, agentId, documentIds }));
    await index("doc_other", createPassages("Shipping takes two days."));
    await opened.db.updateTable("indexSegments").set({ id: lost?.id }).where("agentId", "=", agentId).execute();
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(opened.db);
    await search("shipping").catch(() => undefined);
    expect(await found("shipping")).toEqual(["doc_other/0"]);
  });

  it("keeps the earlier version when the transaction is rolled back", async () => {
    await index("doc_a", createPassages("Delivery takes four days."));
    const prepared = prepareDocument({
      title: "A",
      languages: ["en"],
      passages: createPassages("Shipping takes two days."),
    });
    const failing = inTransaction(opened.db, async (trx) => {
      await replaceInIndex(
        trx,
        { organizationId, agentId, documentId: documentIdFor(agentId, "doc_a"), version: 2 },
        { prepared },
      );
      throw new Error("the job's lease was lost");
    });
    await expect(failing).rejects.toThrow("lease was lost");
    expect(await found("delivery")).toEqual(["doc_a/0"]);
  });

  it("stops finding a deleted document immediately, whether or not its postings were merged", async () => {
    await indexForty();
    await index("doc_new", createPassages("The warranty covers batteries."));
    const documentIds = ["doc_7", "doc_new", "doc_unknown"].map((name) => documentIdFor(agentId, name));
    await inTransaction(opened.db, (trx) => removeFromIndex(trx, { organizationId, agentId, documentIds }));
    expect(await found("warranty of model 7")).not.toContain("doc_7/0");
    expect(await found("batteries")).toEqual([]);
    expect((await segments()).map(({ level, deadChunks }) => [level, deadChunks])).toEqual([[1, 1]]);
  });

  it("hides a disabled document until it is enabled again", async () => {
    await index("doc_a", createPassages("Delivery takes four days."));
    const scope = { organizationId, agentId, documentIds: [documentIdFor(agentId, "doc_a")] };
    await inTransaction(opened.db, (trx) => setSearchable(trx, { ...scope, isEnabled: false }));
    expect(await found("delivery")).toEqual([]);
    await index("doc_a", createPassages("Delivery takes three days."), { version: 2 });
    expect(await found("delivery")).toEqual([]);
    await inTransaction(opened.db, (trx) => setSearchable(trx, { ...scope, isEnabled: true }));
    expect(await found("delivery")).toEqual(["doc_a/0"]);
  });

  it("finds enabled documents behind hundreds of disabled ones that match better", async () => {
    const hidden = Array.from({ length: 120 }, (_, n) => `doc_${n}`);
    for (const id of hidden) await index(id, createPassages("Delivery delivery delivery."));
    await index("doc_last", createPassages("Among many other things this page mentions delivery."));
    const documents = {
      organizationId,
      agentId,
      documentIds: hidden.map((name) => documentIdFor(agentId, name)),
      isEnabled: false,
    };
    await inTransaction(opened.db, (trx) => setSearchable(trx, documents));
    expect(await found("delivery")).toEqual(["doc_last/0"]);
  });

  it("returns the same hits with the same scores before and after segments are merged", async () => {
    for (let n = 0; n < 40; n++)
      await index(`doc_${n}`, createPassages(`The warranty of model ${n} lasts ${n} months.`));
    const before = await search("How long is the warranty of model 12?", { limit: 50 });
    passageSearch.maintain(agentId);
    await passageSearch.settled();
    expect((await segments()).map(({ level, chunks }) => [level, chunks])).toEqual([[1, 40]]);
    expect(await search("How long is the warranty of model 12?", { limit: 50 })).toEqual(before);
    expect(before[0]?.documentId).toBe("doc_12");
  });

  it("rewrites a segment without its deleted chunks once a fifth of them is gone", async () => {
    await indexForty();
    const documentIds = Array.from({ length: 10 }, (_, n) => documentIdFor(agentId, `doc_${n}`));
    await inTransaction(opened.db, (trx) => removeFromIndex(trx, { organizationId, agentId, documentIds }));
    passageSearch.maintain(agentId);
    await passageSearch.settled();
    expect((await segments()).map(({ chunks, deadChunks }) => [chunks, deadChunks])).toEqual([[30, 0]]);
    expect(await found("warranty of model 31")).toContain("doc_31/0");
  });

  it("deletes what an interrupted merge left behind, and finds everything meanwhile", async () => {
    await indexForty();
    const [segment] = await segments();
    if (!segment) throw new Error("no segment");
    const { id: _, ...columns } = segment;
    await opened.db
      .insertInto("indexSegments")
      .values(Object.assign(columns, { state: "building" as const }))
      .execute();
    expect(await found("warranty of model 3")).toContain("doc_3/0");
    passageSearch.maintain(agentId);
    await passageSearch.settled();
    expect((await segments()).map(({ id }) => id)).toEqual([segment.id]);
  });

  it("deletes the index of a deleted agent", async () => {
    await indexForty();
    await opened.db.deleteFrom("agents").where("id", "=", agentId).execute();
    passageSearch.maintain(agentId);
    await passageSearch.settled();
    for (const table of ["documentChunks", "indexedDocuments", "indexSegments", "agentIndexes"] as const) {
      expect(await opened.db.selectFrom(table).select("agentId").where("agentId", "=", agentId).execute()).toEqual([]);
    }
  });

  it("returns at most three passages per document, and six in total unless a limit is set", async () => {
    for (const id of ["doc_a", "doc_b", "doc_c"]) {
      await index(id, createPassages(...Array.from({ length: 5 }, (_, n) => `Delivery takes ${n} days.`)));
    }
    const hits = await search("delivery days");
    expect(hits).toHaveLength(6);
    expect((await search("delivery days", { limit: 50 })).map(({ documentId }) => documentId).sort()).toEqual(
      ["doc_a", "doc_b", "doc_c"].flatMap((id) => [id, id, id]),
    );
  });

  it("finds nothing for another organization that names the agent", async () => {
    await index("doc_a", createPassages("Delivery takes four days."));
    expect(await search("delivery", { organizationId: "org_2" })).toEqual([]);
    const documents = { organizationId: "org_2", agentId, documentIds: [documentIdFor(agentId, "doc_a")] };
    await inTransaction(opened.db, (trx) => removeFromIndex(trx, documents));
    expect(await found("delivery")).toEqual(["doc_a/0"]);
  });

  it("finds nothing for an empty question or one of unknown words", async () => {
    await index("doc_a", createPassages("Delivery takes four days."));
    expect(await search("?!")).toEqual([]);
    expect(await search("xylophone")).toEqual([]);
  });
});

it("passages are found on a PostgreSQL server that sends bytes in octal digits", async () => {
  const database = await createPostgres();
  if (database.address.kind !== "postgres") throw new Error("not PostgreSQL");
  const { url } = database.address;
  const name = new URL(url).pathname.slice(1);
  await withClient(url, (client) => client.query(`alter database ${name} set bytea_output = escape`));
  const documents = await openDocuments({ database });
  const { id } = (await documents.create({ kind: "text", title: "Prices", text: "A puncture costs 15 euros." })).body;
  await documents.settled(id);
  const query = { agentId: documents.agentId, query: "puncture" };
  const { body } = await documents.account.call("POST", "/documents/search", query);
  expect(body.hits.map(({ documentId }: { documentId: string }) => documentId)).toEqual([id]);
  await documents.server.stop();
  await database.drop();
});
