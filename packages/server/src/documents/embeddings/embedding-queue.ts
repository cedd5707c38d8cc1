import { type Selectable, type SqlBool, sql } from "kysely";
import { databaseNow, msFromNow } from "../../db/database-clock.ts";
import type { AgentEmbeddingsTable } from "../../db/tables/passage-index.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { createLeasedQueue } from "../../jobs/leased-queue.ts";
import { EmbeddingError } from "../../models/embedding-error.ts";
import type { TokenBudgets } from "../../plans/token-budget.ts";
import { packSigns, toInt8 } from "../search/quantize.ts";
import type { Trx } from "../store.ts";
import { planEmbedding } from "./plan-embedding.ts";

/** An agent whose passages this process has leased to embed with one model. `fence` identifies the lease. */
export type EmbeddingJob = Selectable<AgentEmbeddingsTable>;

export type EmbeddablePassage = { number: number; documentId: string; version: number; text: string };

/** `vectors` has an entry for each passage. An entry is null if the provider rejected the passage. */
type EmbeddedPassages = {
  passages: readonly EmbeddablePassage[];
  vectors: ReadonlyArray<number[] | null>;
  tokens: number;
  isOperatorPaid: boolean;
};

/** Duration of a lease. After a crash, another process continues when the lease expires. */
const LEASE_MS = 60_000;

export type EmbeddingQueue = ReturnType<typeof createEmbeddingQueue>;

type QueueDeps = Pick<Deps, "db" | "databaseKind"> & { budgets: Pick<TokenBudgets, "count"> };

/**
 * The queue of agents with passages that have no vectors yet. Passages are embedded in the order of their numbers, so a
 * single number records an agent's progress. A large document that becomes visible after documents with higher numbers
 * resets the progress to its own first number. All times come from the database clock.
 */
export function createEmbeddingQueue(deps: QueueDeps) {
  const { db } = deps;
  return {
    ...createLeasedQueue(deps, {
      table: "agentEmbeddings",
      key: ["agentId", "model"],
      leaseMs: LEASE_MS,
      claimable: sql<SqlBool>`"isRetired" = 0 and "agentId" in (select id from agents where "deletedAt" is null)`,
    }),
    /** The next passages to embed, each with its title, heading and question. */
    async passages(job: EmbeddingJob, limit: number): Promise<EmbeddablePassage[]> {
      const rows = await db
        .selectFrom("documentChunks as c")
        .innerJoin("indexedDocuments as d", (join) =>
          join.onRef("d.documentId", "=", "c.documentId").onRef("d.version", "=", "c.version"),
        )
        .select(["c.number", "c.documentId", "c.version", "c.heading", "c.question", "c.text", "d.title"])
        .where("c.agentId", "=", job.agentId)
        .where("c.organizationId", "=", job.organizationId)
        .where("c.number", ">=", job.nextNumber)
        // Skip passages that already have vectors. Passages with higher numbers can have been embedded while a large
        // document was being written.
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("chunkVectors as v")
                .select("v.number")
                .where("v.agentId", "=", job.agentId)
                .where("v.model", "=", job.model)
                .whereRef("v.number", "=", "c.number"),
            ),
          ),
        )
        .orderBy("c.number")
        .limit(limit)
        .execute();
      return rows.map(({ number, documentId, version, ...parts }) => ({
        number,
        documentId,
        version,
        text: embeddedText(parts),
      }));
    },
    ...outcomes(deps),
    /** Plans the embedding of agents that have none planned with their organization's model. */
    addMissing: () => planEmbedding(db, null),
  };
}

const updateLeasedJob = (executor: Pick<Trx, "updateTable">, { agentId, model, fence }: EmbeddingJob) =>
  executor
    .updateTable("agentEmbeddings")
    .where("agentId", "=", agentId)
    .where("model", "=", model)
    .where("fence", "=", fence)
    .where("isRetired", "=", 0);

/** Passages that are embedded with the operator's key count towards the plan's token limit. */
function outcomes({ db, databaseKind, budgets }: QueueDeps) {
  const now = databaseNow(databaseKind);
  return {
    /**
     * Stores vectors, except those of passages that were deleted in the meantime.
     * @returns the updated job; null when the lease was lost and nothing was written
     * @throws EmbeddingError when the vectors' dimensions differ from those of the stored vectors
     */
    async store(job: EmbeddingJob, embedded: EmbeddedPassages): Promise<EmbeddingJob | null> {
      const dimensions = embedded.vectors.find((vector) => vector !== null)?.length ?? job.dimensions;
      if (job.dimensions !== null && dimensions !== job.dimensions)
        throw changedDimensionsError(job.dimensions, dimensions);
      return inTransaction(db, async (trx) => {
        const live = await lockPassages(trx, job, embedded);
        const refused = embedded.vectors.filter((vector) => vector === null).length;
        const updated = await updateLeasedJob(trx, job)
          .set((set) => ({
            nextNumber: (embedded.passages.at(-1)?.number ?? job.nextNumber) + 1,
            batches: set("batches", "+", 1),
            vectors: set("vectors", "+", live.length),
            skipped: set("skipped", "+", refused),
            tokens: set("tokens", "+", embedded.tokens),
            dimensions,
            attempts: 0,
            error: null,
            errorAt: null,
            dueAt: msFromNow(databaseKind, LEASE_MS),
          }))
          .returningAll()
          .executeTakeFirst();
        if (!updated) return null;
        await insertVectors(trx, updated, live);
        const { agentId, organizationId } = job;
        const usage = { agentId, visitor: null, address: null, tokens: embedded.tokens, cost: 0 };
        await budgets.count(trx, [{ ...usage, organizationId: embedded.isOperatorPaid ? organizationId : null }]);
        return updated;
      });
    },
    /**
     * Ends a job once all passages below `endNumber` have vectors. It is due again immediately if passages were added.
     * @returns true when the vectors of another model are no longer needed
     */
    async finish(job: EmbeddingJob): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const finished = await updateLeasedJob(trx, job)
          .set((set) => ({
            nextNumber: job.endNumber,
            dueAt: sql<number | null>`case when "endNumber" > ${job.endNumber} then 0 else null end`,
            readyAt: set.fn.coalesce("readyAt", sql<number>`${now}`),
            attempts: 0,
            error: null,
            errorAt: null,
            fence: set("fence", "+", 1),
          }))
          .executeTakeFirst();
        if (finished.numUpdatedRows === 0n) return false;
        const replaced = await trx
          .updateTable("agentEmbeddings")
          .set({ isRetired: 1, dueAt: null })
          .where("agentId", "=", job.agentId)
          .where("organizationId", "=", job.organizationId)
          .where("model", "<>", job.model)
          .where("isRetired", "=", 0)
          .executeTakeFirst();
        return replaced.numUpdatedRows > 0n;
      });
    },
    /** Records a failure for the owner and releases the job until the next attempt. */
    async fail(job: EmbeddingJob, message: string, waitMs: number): Promise<void> {
      await updateLeasedJob(db, job)
        .set((set) => ({
          attempts: set("attempts", "+", 1),
          error: message,
          errorAt: Date.now(),
          dueAt: msFromNow(databaseKind, waitMs),
          fence: set("fence", "+", 1),
        }))
        .execute();
    },
  };
}

/** Longer passages are truncated, because models read at most a few thousand tokens. */
const MAX_CHARACTERS = 6_000;

type PassageText = { title: string; heading: string | null; question: string | null; text: string };

function embeddedText({ title, heading, question, text }: PassageText): string {
  const parts = [question ?? title, heading === title ? null : heading, text];
  return parts
    .filter((part) => part !== null && part.trim() !== "")
    .join("\n")
    .slice(0, MAX_CHARACTERS)
    .toWellFormed();
}

type LivePassage = { number: number; documentId: string; vector: number[] };

/** The passages whose documents still have the version that was embedded. They cannot be deleted until `trx` ends. */
async function lockPassages(
  trx: Trx,
  { organizationId }: EmbeddingJob,
  { passages, vectors }: EmbeddedPassages,
): Promise<LivePassage[]> {
  // Lock with a write that changes nothing. In SQLite, a transaction that starts with a read may not be able to write.
  const documents = await trx
    .updateTable("indexedDocuments")
    .set((set) => ({ version: set.ref("version") }))
    .where("organizationId", "=", organizationId)
    .where("documentId", "in", [...new Set(passages.map(({ documentId }) => documentId))])
    .returning(["documentId", "version"])
    .execute();
  const versions = new Map(documents.map(({ documentId, version }) => [documentId, version]));
  return passages.flatMap(({ number, documentId, version }, index) => {
    const vector = vectors[index];
    return vector && versions.get(documentId) === version ? [{ number, documentId, vector }] : [];
  });
}

async function insertVectors(
  trx: Trx,
  { agentId, organizationId, model, batches }: EmbeddingJob,
  live: readonly LivePassage[],
) {
  if (live.length === 0) return;
  const owner = { agentId, organizationId, model };
  await trx
    .insertInto("chunkVectors")
    .values(live.map(({ number, documentId, vector }) => ({ ...owner, number, documentId, vector: toInt8(vector) })))
    .execute();
  const signs = groupByDocument(live).map((passages) => ({
    ...owner,
    batch: batches,
    number: passages[0]?.number ?? 0,
    documentId: passages[0]?.documentId ?? "",
    passages: passages.length,
    signs: Buffer.concat(passages.map(({ vector }) => packSigns(vector))),
  }));
  await trx.insertInto("vectorSigns").values(signs).execute();
}

/** Groups consecutive passages of the same document. */
function groupByDocument(live: readonly LivePassage[]): LivePassage[][] {
  const groups: LivePassage[][] = [];
  for (const passage of live) {
    const last = groups.at(-1);
    const before = last?.at(-1);
    const isNext = before?.documentId === passage.documentId && before.number + 1 === passage.number;
    if (last && isNext) last.push(passage);
    else groups.push([passage]);
  }
  return groups;
}

function changedDimensionsError(stored: number, received: number | null): EmbeddingError {
  return new EmbeddingError(
    `The model now returns vectors with ${received} dimensions instead of ${stored}, so they cannot be compared with the stored ones. To embed all passages again, turn search by meaning off, save, and turn it on again.`,
    null,
  );
}
