import { DAY_MS } from "@foyer/contract/rules/time";
import { deleteInBatches } from "../db/clean-up.ts";
import type { Db } from "../db/open.ts";

const AUDIT_DAYS = 400;
/** How many days an invitation is kept after it has expired. */
const INVITATION_DAYS = 30;

/** Deletes expired sessions and links, and old invitations and audit entries. @returns the number of deleted rows */
export async function deleteExpiredRows(db: Db, now: number): Promise<number> {
  const toIsoDate = (at: number) => new Date(at).toISOString();
  await keepNotices(db, toIsoDate(now));
  const counts = [
    await deleteExpired(db, "sessions", toIsoDate(now)),
    await deleteExpired(db, "verifications", toIsoDate(now)),
    await deleteExpired(db, "invitations", toIsoDate(now - INVITATION_DAYS * DAY_MS)),
    await deleteInBatches(db, async (trx, limit) => {
      const old = trx.selectFrom("pendingLinks").select("id").where("expiresAt", "<", now).limit(limit);
      return Number((await trx.deleteFrom("pendingLinks").where("id", "in", old).executeTakeFirst()).numDeletedRows);
    }),
    await deleteInBatches(db, async (trx, limit) => {
      const old = trx
        .selectFrom("auditLog")
        .select("id")
        .where("at", "<", now - AUDIT_DAYS * DAY_MS)
        .limit(limit);
      return Number((await trx.deleteFrom("auditLog").where("id", "in", old).executeTakeFirst()).numDeletedRows);
    }),
  ];
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Keeps the notices of a browser whose session expired because it was not used. Only a sign-out ends them. */
async function keepNotices(db: Db, now: string): Promise<void> {
  const expired = db.selectFrom("sessions").select("id").where("expiresAt", "<", now);
  await db.updateTable("pushSubscriptions").set({ sessionId: null }).where("sessionId", "in", expired).execute();
}

function deleteExpired(db: Db, table: "sessions" | "verifications" | "invitations", before: string) {
  return deleteInBatches(db, async (trx, limit) => {
    const old = trx.selectFrom(table).select("id").where("expiresAt", "<", before).limit(limit);
    return Number((await trx.deleteFrom(table).where("id", "in", old).executeTakeFirst()).numDeletedRows);
  });
}
