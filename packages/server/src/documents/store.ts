import { setImmediate as nextTurn } from "node:timers/promises";
import { type SelectQueryBuilder, sql, type Transaction, type UpdateObject } from "kysely";
import { containsText } from "../db/contains-text.ts";
import { databaseNow } from "../db/database-clock.ts";
import { isVisible } from "../db/deleted-agents.ts";
import { lockRow } from "../db/lock-row.ts";
import type { DocumentRow } from "../db/tables/documents.ts";
import type { Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { TEXT_PART } from "./extract/text-parts.ts";
import { createKnowledgeQueries } from "./knowledge-queries.ts";
import { deleteTexts } from "./retention.ts";
import { deleteChunks } from "./search/passage-index.ts";
import { readModels, removeSomeVectors } from "./search/passage-vectors.ts";

/** A document beyond one of these takes SQLite more than about 10 ms to delete. */
const LARGE_CHARACTERS = 1_000_000;
const LARGE_CHUNKS = 500;

type DocumentFilter = Partial<Pick<DocumentRow, "agentId" | "sourceId" | "state" | "kind">> & { q?: string };
export type Trx = Transaction<Tables>;

export type DocumentStore = ReturnType<typeof createDocumentStore>;
type Owner = Pick<DocumentRow, "organizationId" | "agentId">;
type StoreDeps = Pick<Deps, "db" | "databaseKind" | "reads">;

export function createDocumentStore(deps: StoreDeps) {
  return {
    ...documentReaders(deps),
    ...documentWriters(deps),
    ...documentDeletion(deps),
    ...contentReaders(deps),
    ...siteDocuments(deps),
    ...createKnowledgeQueries(deps.db),
  };
}

function documentReaders({ db, databaseKind, reads }: StoreDeps) {
  const selectOwned = (organizationId: string) =>
    db.selectFrom("documents").where("organizationId", "=", organizationId).where(isVisible("documents"));
  const selectFiltered = (organizationId: string, { agentId, sourceId, state, kind, q }: DocumentFilter) =>
    selectOwned(organizationId)
      .$if(agentId !== undefined, (query) => query.where("agentId", "=", agentId ?? ""))
      .$if(sourceId !== undefined, (query) => query.where("sourceId", "=", sourceId ?? ""))
      .$if(state !== undefined, (query) => query.where("state", "=", state ?? "ready"))
      .$if(kind !== undefined, (query) => query.where("kind", "=", kind ?? "text"))
      .$if(q !== undefined, (query) =>
        query.where(
          sql<boolean>`(${containsText(databaseKind, "title", q ?? "")} or ${containsText(databaseKind, "url", q ?? "")})`,
        ),
      ) as SelectQueryBuilder<Tables, "documents", object>;

  return {
    async get(organizationId: string, id: string): Promise<DocumentRow | undefined> {
      return selectOwned(organizationId).selectAll().where("id", "=", id).executeTakeFirst();
    },
    /** The documents with these ids, in any order. */
    async getAll(organizationId: string, ids: readonly string[]): Promise<DocumentRow[]> {
      if (ids.length === 0) return [];
      return selectOwned(organizationId).selectAll().where("id", "in", ids).execute();
    },
    /** The titles of those that exist, by title. */
    async titles(organizationId: string, ids: readonly string[]): Promise<string[]> {
      if (ids.length === 0) return [];
      const rows = await selectOwned(organizationId).select("title").where("id", "in", ids).orderBy("title").execute();
      return rows.map(({ title }) => title);
    },
    async byKey(organizationId: string, agentId: string, externalKey: string): Promise<DocumentRow | undefined> {
      return selectOwned(organizationId)
        .selectAll()
        .where("agentId", "=", agentId)
        .where("externalKey", "=", externalKey)
        .executeTakeFirst();
    },
    async byContent(
      trx: Trx,
      { organizationId, agentId }: Owner,
      contentHash: string,
    ): Promise<DocumentRow | undefined> {
      return trx
        .selectFrom("documents")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("agentId", "=", agentId)
        .where("uniqueContent", "=", contentHash)
        .executeTakeFirst();
    },
    /** Newest first. */
    async list(organizationId: string, filter: DocumentFilter, { limit, offset }: { limit: number; offset: number }) {
      const lane = filter.q === undefined ? "list" : "search";
      const query = selectFiltered(organizationId, filter);
      const options = { lane, owner: organizationId } as const;
      const rows = await reads.run(query.selectAll().orderBy("id", "desc").limit(limit).offset(offset), options);
      const [count] = await reads.run(
        query.select((x) => x.fn.countAll<number>().as("n")),
        options,
      );
      return { rows, total: Number(count?.n ?? 0) };
    },
    async count(organizationId: string, agentId: string): Promise<number> {
      const counted = selectOwned(organizationId).where("agentId", "=", agentId);
      return Number((await counted.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow()).n);
    },
  };
}

function documentWriters({ db, databaseKind }: StoreDeps) {
  const now = databaseNow(databaseKind);

  /** Queues the processing of a version. Revokes a lease on an earlier version. */
  async function insertJob(trx: Trx, row: DocumentRow) {
    await trx
      .insertInto("documentJobs")
      .values({
        documentId: row.id,
        organizationId: row.organizationId,
        agentId: row.agentId,
        version: row.version,
        attempts: 0,
        dueAt: now,
        fence: 1,
      })
      .onConflict((conflict) =>
        conflict.column("documentId").doUpdateSet({
          version: row.version,
          attempts: 0,
          dueAt: now,
          fence: sql`"documentJobs".fence + 1`,
        }),
      )
      .execute();
  }

  async function update(
    trx: Trx,
    { organizationId, id }: Pick<DocumentRow, "organizationId" | "id">,
    changes: UpdateObject<Tables, "documents">,
  ): Promise<DocumentRow | undefined> {
    return trx
      .updateTable("documents")
      .set(changes)
      .where("id", "=", id)
      .where("organizationId", "=", organizationId)
      .where("trashedAt", "is", null)
      .returningAll()
      .executeTakeFirst();
  }

  return {
    inTransaction: <T>(work: (trx: Trx) => Promise<T>) => inTransaction(db, work),
    /** Locks the agent's documents against insertions: concurrent calls wait until the transaction ends. */
    async lockAgent(trx: Trx, agentId: string): Promise<void> {
      await lockRow(trx, "agentCounters", agentId);
    },
    async countWithin(trx: Trx, { organizationId, agentId }: Owner): Promise<number> {
      const counted = trx
        .selectFrom("documents")
        .where("organizationId", "=", organizationId)
        .where("agentId", "=", agentId)
        .where("trashedAt", "is", null);
      return Number((await counted.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow()).n);
    },
    /** Inserts the document together with the job that processes it. */
    async insert(trx: Trx, row: DocumentRow): Promise<void> {
      await trx.insertInto("documents").values(row).execute();
      await insertJob(trx, row);
    },
    update,
    /** Updates a document and queues the processing of its new version. */
    async updateAndQueue(trx: Trx, row: DocumentRow, changes: Partial<DocumentRow>): Promise<DocumentRow | undefined> {
      const updated = await update(trx, row, {
        ...changes,
        version: sql`version + 1`,
        state: "queued",
        stage: null,
        progressDone: 0,
        progressTotal: 0,
        errorCode: null,
        errorMessage: null,
        updatedAt: Date.now(),
      });
      if (updated) await insertJob(trx, updated);
      return updated;
    },
  };
}

function documentDeletion({ db }: StoreDeps) {
  return {
    /** The given documents that are too large to be deleted in one transaction. */
    async large(organizationId: string, ids: readonly string[]): Promise<Pick<DocumentRow, "id" | "agentId">[]> {
      return db
        .selectFrom("documents")
        .select(["id", "agentId"])
        .where("organizationId", "=", organizationId)
        .where("id", "in", ids)
        .where((row) => row.or([row("characters", ">", LARGE_CHARACTERS), row("chunks", ">", LARGE_CHUNKS)]))
        .execute();
    },
    /** Deletes most of what a large document holds, in small transactions. Hide the document from searches first. */
    async shrink(organizationId: string, { id, agentId }: Pick<DocumentRow, "id" | "agentId">): Promise<void> {
      await deleteTexts(db, { documentId: id });
      for (const model of await readModels(db, { organizationId, agentId })) {
        const owner = { organizationId, agentId, model, documentId: id };
        while ((await inTransaction(db, (trx) => removeSomeVectors(trx, owner))) > 0) await nextTurn();
      }
    },
    /** Deletes the passages of a deleted document. Searches no longer find them. */
    deletePassages: (documentId: string): Promise<void> => deleteChunks(db, { documentId }),
    /** @returns the rows that were deleted */
    async delete(trx: Trx, organizationId: string, ids: readonly string[]) {
      return trx
        .deleteFrom("documents")
        .where("organizationId", "=", organizationId)
        .where("id", "in", ids)
        .returning(["id", "agentId", "fileId"])
        .execute();
    },
  };
}

function siteDocuments({ db }: StoreDeps) {
  return {
    /** Up to `limit` documents of a site. */
    async ofSource(
      organizationId: string,
      sourceId: string,
      { limit, isEnabled }: { limit: number; isEnabled?: boolean },
    ): Promise<Pick<DocumentRow, "id" | "agentId">[]> {
      return db
        .selectFrom("documents")
        .where("organizationId", "=", organizationId)
        .select(["id", "agentId"])
        .where("sourceId", "=", sourceId)
        .$if(isEnabled !== undefined, (query) => query.where("isEnabled", "=", isEnabled ? 1 : 0))
        .limit(limit)
        .execute();
    },
    async disable(trx: Trx, organizationId: string, ids: readonly string[]): Promise<void> {
      await trx
        .updateTable("documents")
        .set({ isEnabled: 0 })
        .where("organizationId", "=", organizationId)
        .where("id", "in", ids)
        .execute();
    },
  };
}

function contentReaders({ db, reads }: StoreDeps) {
  return {
    /** Part of the text of the version that the agent uses, in characters. */
    async text({ id, readyVersion, characters }: DocumentRow, offset: number, limit: number): Promise<string> {
      // PostgreSQL refuses to compare a column with a number beyond its type's range.
      if (offset >= characters) return "";
      const parts = await db
        .selectFrom("documentTexts")
        .select(["start", "text"])
        .where("documentId", "=", id)
        .where("version", "=", readyVersion ?? 0)
        .where("start", ">", offset - TEXT_PART)
        .where("start", "<", offset + limit)
        .orderBy("start")
        .execute();
      const [first] = parts;
      if (!first) return "";
      const text = parts.map((part) => part.text).join("");
      return text.slice(Math.max(0, offset - first.start), Math.max(0, offset - first.start) + limit);
    },
    async chunks(
      { organizationId, id, readyVersion }: DocumentRow,
      { limit, offset }: { limit: number; offset: number },
    ) {
      const query = db
        .selectFrom("documentChunks")
        .select(["ordinal", "heading", "page", "text"])
        .where("organizationId", "=", organizationId)
        .where("documentId", "=", id)
        .where("version", "=", readyVersion ?? 0)
        .orderBy("ordinal")
        .limit(limit)
        .offset(offset);
      return reads.run(query, { lane: "list", owner: organizationId });
    },
  };
}
