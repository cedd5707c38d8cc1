import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type SelectQueryBuilder, sql } from "kysely";
import { selectAgentIds } from "../db/agents-of.ts";
import { deleteBySize, deleteInBatches } from "../db/clean-up.ts";
import { sumEventBytes } from "../db/event-rows.ts";
import type { Db } from "../db/open.ts";
import { readPagesById } from "../db/pages-by-id.ts";
import type { Tables } from "../db/tables.ts";
import { firstIdAt } from "../ids.ts";

/** The number of submissions whose files are looked up by one query, which takes about 2 ms. */
const SUBMISSIONS_PER_PAGE = 100;

type Submissions = SelectQueryBuilder<Tables, "submissions", object>;

/** The size of a submission with its files, events and the receivers' responses. */
const submissionBytes = sql<number>`1024 + octet_length("formData")
  + coalesce((select sum(size) from "submissionFiles" where "submissionId" = submissions.id), 0)
  + coalesce((select sum(coalesce(octet_length(response), 0)) from deliveries
      join "deliveryAttempts" on "deliveryAttempts"."deliveryId" = deliveries.id
      where deliveries."submissionId" = submissions.id), 0)
  + ${sumEventBytes("submissionId", "submissions.id")}`;

/**
 * Deletes the submissions of an agent that were created before this time (in milliseconds), with their files. Counters
 * are not changed.
 * @returns the number of deleted submissions
 */
export function deleteSubmissionsBefore(db: Db, agentId: string, before: number): Promise<number> {
  // An id starts with its creation time, so ids sort by creation time.
  return deleteSubmissions(db, (all) => all.where("agentId", "=", agentId).where("id", "<", firstIdAt("sub", before)));
}

/**
 * Deletes the files of an agent's submissions that were created before this time (in milliseconds), but not the
 * submissions.
 * @returns the number of deleted files
 */
export async function deleteFilesBefore(db: Db, agentId: string, before: number): Promise<number> {
  const pages = readPagesById(SUBMISSIONS_PER_PAGE, (after) =>
    db
      .selectFrom("submissions")
      .select("id")
      .where("agentId", "=", agentId)
      .where("id", ">", after)
      .where("id", "<", firstIdAt("sub", before))
      .orderBy("id")
      .limit(SUBMISSIONS_PER_PAGE)
      .execute(),
  );
  let deleted = 0;
  for await (const page of pages) {
    const ids = page.map(({ id }) => id);
    deleted += await deleteSubmissionFiles(db, ids);
  }
  return deleted;
}

/**
 * Deletes the files of these submissions one by one, because SQLite takes about 30 ms to overwrite 5 MB.
 * @returns the number of deleted files
 */
export async function deleteSubmissionFiles(db: Db, submissionIds: readonly string[]): Promise<number> {
  if (submissionIds.length === 0) return 0;
  const stored = db.selectFrom("submissionFiles").select(["submissionId", "field"]);
  const files = await stored.where("submissionId", "in", submissionIds).execute();
  for (const { submissionId, field } of files) {
    await db
      .deleteFrom("submissionFiles")
      .where("submissionId", "=", submissionId)
      .where("field", "=", field)
      .execute();
    await yieldToEventLoop();
  }
  return files.length;
}

/** Deletes the submissions and impressions of an agent's forms. @returns the number of deleted submissions */
export async function deleteAgentSubmissions(db: Db, agentId: string): Promise<number> {
  const submissions = await deleteSubmissions(db, (all) => all.where("agentId", "=", agentId));
  await deleteInBatches(db, async (trx, limit) => {
    const batch = trx.selectFrom("formInstances").select(["toolId", "id"]).where("agentId", "=", agentId).limit(limit);
    const deleted = trx
      .deleteFrom("formInstances")
      .where(({ eb, refTuple }) => eb(refTuple("toolId", "id"), "in", batch.$asTuple("toolId", "id")));
    return Number((await deleted.executeTakeFirst()).numDeletedRows);
  });
  return submissions;
}

/**
 * Deletes these submissions of an organization, with their files and impressions. Counters are not changed.
 * @returns the number of deleted submissions
 */
export async function deleteSubmissionsById(db: Db, organizationId: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const impressions = await db
    .selectFrom("submissions")
    .select(["toolId", "formInstanceId as id"])
    .where("organizationId", "=", organizationId)
    .where("id", "in", ids)
    .execute();
  for (const { toolId, id } of impressions) {
    await db
      .deleteFrom("formInstances")
      .where("toolId", "=", toolId)
      .where("id", "=", id)
      .where("agentId", "in", selectAgentIds(db, organizationId))
      .execute();
  }
  return deleteSubmissions(db, (all) => all.where("organizationId", "=", organizationId).where("id", "in", ids));
}

function deleteSubmissions(db: Db, addFilter: (all: Submissions) => Submissions): Promise<number> {
  return deleteBySize(db, {
    next: (trx, limit) =>
      addFilter(trx.selectFrom("submissions"))
        .select(["id", submissionBytes.as("bytes")])
        .orderBy("id")
        .limit(limit)
        .execute(),
    async remove(trx, rows) {
      const ids = rows.map(({ id }) => id);
      await trx.deleteFrom("submissions").where("id", "in", ids).execute();
    },
    shrink: ({ id }) => deleteSubmissionFiles(db, [id]),
  });
}

/**
 * Deletes the daily usage of submission and confirmation limits before this day (UTC).
 * @returns the number of deleted rows
 */
export async function deleteSubmissionDaysBefore(db: Db, day: string): Promise<number> {
  const quotas = await db.deleteFrom("submissionDays").where("day", "<", day).executeTakeFirst();
  const confirmations = await db.deleteFrom("confirmationDays").where("day", "<", day).executeTakeFirst();
  return Number(quotas.numDeletedRows + confirmations.numDeletedRows);
}

/**
 * Deletes form impressions from before this day (UTC). Counters are not changed.
 * @returns the number of deleted impressions
 */
export function deleteImpressionsBefore(db: Db, day: string): Promise<number> {
  return deleteInBatches(db, async (trx, limit) => {
    const expired = trx.selectFrom("formInstances").select(["toolId", "id"]).where("day", "<", day).limit(limit);
    const deleted = trx
      .deleteFrom("formInstances")
      .where(({ eb, refTuple }) => eb(refTuple("toolId", "id"), "in", expired.$asTuple("toolId", "id")));
    return Number((await deleted.executeTakeFirst()).numDeletedRows);
  });
}
