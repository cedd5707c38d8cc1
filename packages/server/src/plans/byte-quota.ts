import { DAY_MS } from "@foyer/contract/rules/time";
import { sql } from "kysely";
import { RateLimiterMemory } from "rate-limiter-flexible";
import type { Db } from "../db/open.ts";
import type { ByteDayRow } from "../db/tables/plans.ts";
import { AppError } from "../errors.ts";
import { toUtcDay } from "../utc-day.ts";

/** The subject of the documents of an organization. The subject of an agent's chats is the agent's id. */
export const DOCUMENTS = "documents";

/** The subject of the pictures and files in an organization's chats. */
export const ATTACHMENTS = "attachments";

type Owner = Pick<ByteDayRow, "organizationId" | "subject">;

/** The bytes that were stored for a subject today (UTC). */
export async function readBytesToday(db: Db, { organizationId, subject }: Owner): Promise<number> {
  const row = await db
    .selectFrom("byteDays")
    .select("bytes")
    .where("organizationId", "=", organizationId)
    .where("subject", "=", subject)
    .where("day", "=", toUtcDay(Date.now()))
    .executeTakeFirst();
  return Number(row?.bytes ?? 0);
}

/** The bytes of the originals of an organization's documents. */
export async function readDocumentBytes(db: Db, organizationId: string): Promise<number> {
  const stored = await db
    .selectFrom("documents")
    .select((x) => x.fn.sum<number>("bytes").as("bytes"))
    .where("organizationId", "=", organizationId)
    .where("fileId", "is not", null)
    .executeTakeFirst();
  return Number(stored?.bytes ?? 0);
}

/** Adds stored bytes to the day's usage. Call it in the transaction that stores them. */
export async function addBytesToday(trx: Db, owner: Owner, bytes: number): Promise<void> {
  await trx
    .insertInto("byteDays")
    .values({ ...owner, day: toUtcDay(Date.now()), bytes })
    .onConflict((conflict) =>
      conflict
        .columns(["organizationId", "subject", "day"])
        .doUpdateSet({ bytes: sql`"byteDays".bytes + excluded.bytes` }),
    )
    .execute();
}

/** 429 for a daily quota. `retryAfter` ends with the day. */
export function dailyQuotaError(message: string): AppError {
  const now = Date.now();
  const retryAfter = (Date.parse(`${toUtcDay(now + DAY_MS)}T00:00:00Z`) - now) / 1_000;
  return new AppError("RATE_LIMITED", `${message} Try again tomorrow (UTC).`, { retryAfter });
}

/** Deletes the usage of the days before this one (UTC). @returns the number of deleted rows */
export async function deleteByteDaysBefore(db: Db, day: string): Promise<number> {
  return Number((await db.deleteFrom("byteDays").where("day", "<", day).executeTakeFirst()).numDeletedRows);
}

const DAY_S = 86_400;

/** Counts bytes in memory, each key for a day from its first ones. */
export function createDayCounter() {
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: DAY_S });
  return {
    read: async (key: string): Promise<number> => (await limiter.get(key))?.consumedPoints ?? 0,
    add: (key: string, bytes: number) => limiter.penalty(key, bytes),
  };
}
