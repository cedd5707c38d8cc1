import type { ToolClaim } from "@foyer/contract";
import { sql } from "kysely";
import { databaseNow } from "../../db/database-clock.ts";
import type { Deps } from "../../deps.ts";

type Key = { messageId: string; toolUseId: string };

/**
 * Stores the calls of client tools. Every process can claim and answer a call. The process that runs the reply reads
 * the answer, for which it waits `waitMs`.
 */
export function createClientToolStore({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">, waitMs: number) {
  const now = databaseNow(databaseKind);
  const updateCall = ({ messageId, toolUseId }: Key) =>
    db.updateTable("clientToolCalls").where("messageId", "=", messageId).where("toolUseId", "=", toolUseId);
  return {
    async insert(call: Key & { conversationId: string; toolId: string; sessionId: string | null }): Promise<void> {
      const row = { ...call, claimedBy: null, outcome: null, digest: null, createdAt: now };
      await db.insertInto("clientToolCalls").values(row).execute();
    },
    /** The conversation's call with this id, whether the reply still waits for it, and the schema of its result. */
    async find(conversationId: string, toolUseId: string) {
      const call = await db
        .selectFrom("clientToolCalls as call")
        .leftJoin("tools", "tools.id", "call.toolId")
        .select(["call.messageId", "call.toolUseId", "call.digest"])
        .select(["tools.clientResultSchema", sql<number>`${now} - ${sql.ref("call.createdAt")}`.as("ageMs")])
        .where("call.conversationId", "=", conversationId)
        .where("call.toolUseId", "=", toolUseId)
        .limit(1)
        .executeTakeFirst();
      return call && { ...call, isOpen: call.digest === null && call.ageMs < waitMs };
    },
    /** @returns false when the call is over, another page has claimed it, or it belongs to another session */
    async claim(key: Key, { claimId, sessionId }: Omit<ToolClaim, "toolUseId">): Promise<boolean> {
      const claimed = await updateCall(key)
        .set({ claimedBy: claimId })
        .where("digest", "is", null)
        .$if(Boolean(sessionId), (query) => query.where("sessionId", "=", sessionId ?? ""))
        .where((where) => where.or([where("claimedBy", "is", null), where("claimedBy", "=", claimId)]))
        .executeTakeFirst();
      return claimed.numUpdatedRows > 0n;
    },
    /** Stores the result, or with an outcome of null closes the call. @returns false when the call is already over */
    async settle(key: Key, { outcome, digest }: { outcome: string | null; digest: string }): Promise<boolean> {
      const settled = await updateCall(key).set({ outcome, digest }).where("digest", "is", null).executeTakeFirst();
      return settled.numUpdatedRows > 0n;
    },
    /** The results of these replies that have not been read yet. */
    async unread(messageIds: readonly string[]) {
      return db
        .selectFrom("clientToolCalls")
        .select(["messageId", "toolUseId", "outcome"])
        .where("messageId", "in", messageIds)
        .where("outcome", "is not", null)
        .execute();
    },
    /** Removes a result that the reply has read and stores with its message. */
    async forget(key: Key): Promise<void> {
      await updateCall(key).set({ outcome: null }).execute();
    },
  };
}
