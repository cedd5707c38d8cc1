import { type SelectQueryBuilder, sql } from "kysely";
import { createBatchReader } from "../db/batch-reader.ts";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import { agentExists } from "../db/deleted-agents.ts";
import { jsonRows, toJson } from "../db/json-rows.ts";
import { takeWithinBytes } from "../db/page-bytes.ts";
import type { SubmissionFileRow, SubmissionRow } from "../db/tables/forms.ts";
import type { DeliveryAttemptRow, DeliveryRow } from "../db/tables/outbox.ts";
import type { Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { asSubmissionDelivery, type SubmissionDelivery } from "./submission-delivery.ts";

export type FileFacts = Omit<SubmissionFileRow, "content" | "prefix">;
/** A post action or confirmation email whose last attempt failed. */
export type FailingRow = Pick<SubmissionDelivery, "submissionId" | "purpose" | "type"> & {
  state: "pending" | "failed";
  error: string | null;
};
/** Filters submissions. `from` (inclusive) and `to` (exclusive) are in milliseconds. */
export type SubmissionFilter = Partial<Pick<SubmissionRow, "agentId" | "toolId" | "status">> & {
  conversationId?: string;
  from?: number;
  to?: number;
};
export type DeliveryOutcome = Pick<DeliveryRow, "position" | "purpose" | "type" | "state"> & { error: string | null };

/**
 * The maximum number of attempts that are returned. An attempt stores up to 16 KB of the response, and a submission can
 * be retried any number of times.
 */
const MAX_ATTEMPTS = 100;

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;

type StoreDeps = Pick<Deps, "db" | "databaseKind" | "reads">;

/**
 * Reads, changes and deletes submissions. new-submissions.ts creates them, and attempt-records.ts updates their
 * deliveries.
 */
export function createSubmissionStore({ db, databaseKind, reads }: StoreDeps) {
  const submissions = compileOnce<{ json: string }, SubmissionRow & { files: number }>((param) =>
    db
      .selectFrom("submissions")
      .selectAll()
      .select(sql<number>`(select count(*) from "submissionFiles" where "submissionId" = submissions.id)`.as("files"))
      .where(agentExists("submissions"))
      .where(
        "id",
        "in",
        db.selectFrom(jsonRows<{ id: string }>(databaseKind, param("json"), { id: "text" })).select("rows.id"),
      ),
  );
  const files = compileOnce<{ id: string }, SubmissionFileRow>((param) =>
    db.selectFrom("submissionFiles").selectAll().where("submissionId", "=", param("id")).orderBy("field"),
  );
  const outcomes = compileOnce<{ id: string }, DeliveryOutcome>((param) =>
    db
      .selectFrom("deliveries")
      .leftJoin("deliveryAttempts as last", (join) =>
        join.onRef("last.deliveryId", "=", "deliveries.id").onRef("last.number", "=", "deliveries.attempts"),
      )
      .select(["position", "purpose", "type", "state", "last.error"])
      .where("submissionId", "=", param("id"))
      .where("purpose", "!=", sql.lit("notice"))
      .orderBy("position"),
  );
  const selectOwned = (organizationId: string, filter: SubmissionFilter = {}) =>
    applyFilter(
      db.selectFrom("submissions").where("organizationId", "=", organizationId).where(agentExists("submissions")),
      filter,
    );
  return {
    /** Returns the newest submissions first: at most `limit` rows and at most `maxBytes`, but at least one row. */
    async list(
      organizationId: string,
      filter: SubmissionFilter,
      { limit, maxBytes, offset = 0, before }: Page,
    ): Promise<{ rows: SubmissionRow[]; isCut: boolean }> {
      const options = { lane: "list", owner: organizationId } as const;
      const sizes = await reads.run(
        selectOwned(organizationId, filter)
          .select(["id", rowBytes.as("bytes")])
          .$if(before !== undefined, (query) => query.where("id", "<", before ?? ""))
          .orderBy("id", "desc")
          .limit(limit)
          .offset(offset),
        options,
      );
      const ids = takeWithinBytes(sizes, maxBytes).map(({ id }) => id);
      if (ids.length === 0) return { rows: [], isCut: false };
      const query = selectOwned(organizationId).selectAll().where("id", "in", ids).orderBy("id", "desc");
      return { rows: await reads.run(query, options), isCut: ids.length < sizes.length };
    },
    async count(organizationId: string, filter: SubmissionFilter): Promise<number> {
      const query = selectOwned(organizationId, filter).select((x) => x.fn.countAll<number>().as("n"));
      const [row] = await reads.run(query, { lane: "list", owner: organizationId });
      return Number(row?.n ?? 0);
    },
    /** Whether the organization has submissions of a form, which may have been deleted since. */
    async hasSubmissionsOfForm(organizationId: string, toolId: string): Promise<boolean> {
      return (await selectOwned(organizationId, { toolId }).select("id").limit(1).executeTakeFirst()) !== undefined;
    },
    async get(organizationId: string, id: string): Promise<SubmissionRow | undefined> {
      return selectOwned(organizationId).selectAll().where("id", "=", id).executeTakeFirst();
    },
    /** Reads a submission for a visitor, who knows its id but does not belong to an organization. */
    async getPublic(id: string): Promise<SubmissionRow | undefined> {
      return db
        .selectFrom("submissions")
        .selectAll()
        .where("id", "=", id)
        .where(agentExists("submissions"))
        .executeTakeFirst();
    },
    /** Returns the newest submissions for which the visitor proved access to the conversation, oldest first. */
    async listVerified(agentId: string, conversationId: string, limit: number): Promise<SubmissionRow[]> {
      const newest = db
        .selectFrom("submissions")
        .selectAll()
        .where("conversationId", "=", conversationId)
        .where("agentId", "=", agentId)
        .where("hasConversationProof", "=", 1)
        .orderBy("id", "desc")
        .limit(limit);
      return (await newest.execute()).reverse();
    },
    async listFiles(submissionIds: readonly string[]): Promise<FileFacts[]> {
      if (submissionIds.length === 0) return [];
      const files = db.selectFrom("submissionFiles").select(["submissionId", "field", "name", "mediaType", "size"]);
      return files.where("submissionId", "in", submissionIds).execute();
    },
    async listFailing(submissionIds: readonly string[]): Promise<FailingRow[]> {
      if (submissionIds.length === 0) return [];
      const rows = await db
        .selectFrom("deliveries")
        .innerJoin("deliveryAttempts as last", (join) =>
          join.onRef("last.deliveryId", "=", "deliveries.id").onRef("last.number", "=", "deliveries.attempts"),
        )
        .select(["submissionId", "purpose", "type", "state", "last.error"])
        .where("submissionId", "in", submissionIds)
        .where("purpose", "in", ["action", "confirmation"])
        .where("state", "in", ["pending", "failed"])
        .where("last.error", "is not", null)
        .orderBy("position")
        .execute();
      return rows as FailingRow[];
    },
    async file(organizationId: string, id: string, field: string) {
      return db
        .selectFrom("submissionFiles")
        .innerJoin("submissions", "submissions.id", "submissionFiles.submissionId")
        .select(["submissionFiles.mediaType", "submissionFiles.content", "submissionFiles.name"])
        .where("submissions.organizationId", "=", organizationId)
        .where(agentExists("submissions"))
        .where("submissions.id", "=", id)
        .where("submissionFiles.field", "=", field)
        .executeTakeFirst();
    },
    /**
     * Reads the content of a submission that is about to be delivered, without its files. Concurrent reads share one
     * query.
     */
    readContent: createBatchReader(async (ids) => {
      const { rows } = await submissions(db, { json: toJson(ids.map((id) => ({ id }))) });
      return new Map(
        rows.map(({ files, ...submission }) => [submission.id, { submission, hasFiles: Number(files) > 0 }]),
      );
    }),
    async files(id: string): Promise<SubmissionFileRow[]> {
      return (await files(db, { id })).rows;
    },
    /** Returns the state of each delivery of a submission, by position, with the error of its last attempt. */
    async outcomes(submissionId: string): Promise<DeliveryOutcome[]> {
      return (await outcomes(db, { id: submissionId })).rows;
    },
    async deliveries(submissionId: string): Promise<SubmissionDelivery[]> {
      const rows = db.selectFrom("deliveries").selectAll().where("submissionId", "=", submissionId);
      const deliveries = await rows.where("purpose", "!=", "notice").orderBy("position").execute();
      return deliveries.map(asSubmissionDelivery);
    },
    /** Returns up to `MAX_ATTEMPTS` of the newest attempts, oldest first. */
    async attempts(submissionId: string): Promise<DeliveryAttemptRow[]> {
      const newest = await db
        .selectFrom("deliveryAttempts")
        .innerJoin("deliveries", "deliveries.id", "deliveryAttempts.deliveryId")
        .selectAll("deliveryAttempts")
        .where("deliveries.submissionId", "=", submissionId)
        .orderBy("startedAt", "desc")
        .orderBy("number", "desc")
        .limit(MAX_ATTEMPTS)
        .execute();
      return newest.reverse();
    },
    /** Runs in the transaction that also updates the status of the submission. */
    async delete(trx: Executor, id: string): Promise<void> {
      await trx.executeQuery(db.deleteFrom("submissions").where("id", "=", id).compile());
    },
    /** Runs in the transaction that also updates the status of the submission. */
    async setClientResult(trx: Executor, id: string, clientResult: string): Promise<void> {
      const changes = { clientResult, updatedAt: Date.now() };
      await trx.executeQuery(db.updateTable("submissions").set(changes).where("id", "=", id).compile());
    },
  };
}

type Submissions = SelectQueryBuilder<Tables, "submissions", object>;

function applyFilter(query: Submissions, filter: SubmissionFilter): Submissions {
  const { agentId, toolId, status, conversationId, from, to } = filter;
  return query
    .$if(conversationId !== undefined, (q) => q.where("conversationId", "=", conversationId ?? ""))
    .$if(from !== undefined, (q) => q.where("createdAt", ">=", from ?? 0))
    .$if(to !== undefined, (q) => q.where("createdAt", "<", to ?? 0))
    .$if(agentId !== undefined, (q) => q.where("agentId", "=", agentId ?? ""))
    .$if(toolId !== undefined, (q) => q.where("toolId", "=", toolId ?? ""))
    .$if(status !== undefined, (q) => q.where("status", "=", status ?? "pending"));
}

/**
 * A page of submissions, newest first. With `before`, the page starts after the submission with this id, because ids
 * sort by creation time.
 */
type Page = { limit: number; maxBytes: number; offset?: number; before?: string };

const rowBytes = sql<number>`octet_length("formData") + coalesce(octet_length("clientResult"), 0)`;
