import { sql } from "kysely";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { migrate } from "../../db/migrate.ts";
import { type OpenDatabase, openDatabase } from "../../db/open.ts";
import { inTransaction } from "../../db/transaction.ts";
import { ANALYSIS_VERSION } from "./analysis-version.ts";
import { removeFromIndex, replaceInIndex } from "./passage-index.ts";
import { createPassageSearch, type PassageSearch } from "./passage-search.ts";
import { prepareDocument } from "./prepare-document.ts";

const organizationId = "org_1";
const agentId = "agent_1";

onBothDatabases("passages that an earlier version analyzed", (createDatabase) => {
  let database: TestDatabase;
  let opened: OpenDatabase;
  let passageSearch: PassageSearch;
  beforeEach(async () => {
    database = await createDatabase();
    opened = openDatabase(database.address, () => {});
    await migrate(opened);
    passageSearch = createPassageSearch(opened, pino({ level: "silent" }));
  });
  afterEach(async () => {
    await passageSearch.close();
    await opened.db.destroy();
    await database.drop();
  });

  const prepare = (text: string) =>
    prepareDocument({
      title: "Note",
      languages: ["en"],
      passages: [{ ordinal: 0, heading: null, page: null, text, part: "body" }],
    });

  async function index(documentId: string, prepared: ReturnType<typeof prepare>) {
    const version = { organizationId, agentId, documentId, version: 1 };
    await inTransaction(opened.db, (trx) => replaceInIndex(trx, version, { prepared }));
  }

  /** Indexes a document with the terms of an earlier version, which had none for the joined form of `1,299`. */
  async function indexBefore(documentId: string, floor: number) {
    const text = `The suite on floor ${floor} costs 1,299 euros, and there is a printer in the lobby.`;
    const { contents } = prepare(text.replace("1,299", "1 and 299"));
    await index(documentId, { ...prepare(text), contents });
  }

  async function createOldIndex(documents: number) {
    for (let floor = 0; floor < documents; floor++) await indexBefore(`doc_${floor}`, floor);
    // Merges need the agent of the index.
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
      .execute();
    await sql`insert into agents (id, "organizationId", name, slug, "systemPrompt", temperature, widget,
      "allowedOrigins", "allowedImageHosts", "requireIdentity", "identitySecret", "createdAt", "updatedAt")
      values (${agentId}, ${organizationId}, 'A', 'a', null, 70, '{}', '[]', '[]', 0, '', 0, 0)`.execute(opened.db);
    passageSearch.maintain(agentId);
    await passageSearch.settled();
    await opened.db.updateTable("indexSegments").set({ analysis: 0 }).execute();
  }

  async function reanalyze() {
    passageSearch.reanalyze();
    await passageSearch.settled();
  }

  const search = (query: string) => passageSearch.search({ organizationId, agentId, queries: [query], limit: 50 });
  const liveSegments = () =>
    opened.db
      .selectFrom("indexSegments")
      .select(["level", "analysis", "chunks", "deadChunks"])
      .where("state", "=", "live")
      .execute();

  for (const { kind, documents } of [
    { kind: "single-document", documents: 3 },
    { kind: "merged", documents: 40 },
  ]) {
    it(`are found under their new terms after ${kind} segments were analyzed again`, async () => {
      await createOldIndex(documents);
      expect(await search("1299")).toEqual([]);
      await reanalyze();
      expect(await search("1299")).toHaveLength(documents);
    });

    it(`are found under their old terms with the same passages after ${kind} segments were analyzed again`, async () => {
      await createOldIndex(documents);
      const before = await search("printer in the lobby");
      await reanalyze();
      expect((await search("printer in the lobby")).map(({ chunkId }) => chunkId)).toEqual(
        before.map(({ chunkId }) => chunkId),
      );
    });
  }

  it("are analyzed once", async () => {
    await createOldIndex(3);
    await reanalyze();
    expect(await liveSegments()).toEqual([{ level: 1, analysis: ANALYSIS_VERSION, chunks: 3, deadChunks: 0 }]);
  });

  it("stay deleted when their document was deleted from a merged segment", async () => {
    await createOldIndex(40);
    await inTransaction(opened.db, (trx) =>
      removeFromIndex(trx, { organizationId, agentId, documentIds: ["doc_7", "doc_8"] }),
    );
    await reanalyze();
    expect(await search("1299")).toHaveLength(38);
  });

  it("do not change segments of this version", async () => {
    await createOldIndex(3);
    await index("doc_new", prepare("The sauna costs 1,299 euros in winter, for all guests."));
    await reanalyze();
    expect((await liveSegments()).map(({ level }) => level).sort()).toEqual([0, 1]);
  });
});

onBothDatabases("an upgrade", (createDatabase) => {
  it("marks existing segments as analyzed by an earlier version", async () => {
    const database = await createDatabase({ isEmpty: true });
    const opened = openDatabase(database.address, () => {});
    await migrate(opened, "0078-dropped-events");
    await sql`insert into "indexSegments" ("organizationId", "agentId", state, level, chunks, "deadChunks", tokens,
      languages, "firstNumber", "lastNumber", bytes) values ('o', 'a', 'live', 0, 1, 0, 4, 'en', 0, 0, 0)`.execute(
      opened.db,
    );
    await migrate(opened);
    const { analysis } = await opened.db.selectFrom("indexSegments").select("analysis").executeTakeFirstOrThrow();
    expect(analysis).toBeLessThan(ANALYSIS_VERSION);
    await opened.db.destroy();
    await database.drop();
  });
});
