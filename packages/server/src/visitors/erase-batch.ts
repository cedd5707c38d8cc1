import type { ConversationLog } from "../conversations/log/log.ts";
import { containsText } from "../db/contains-text.ts";
import type { Deps } from "../deps.ts";
import { deleteSubmissionsById } from "../forms/retention.ts";
import { deleteVisitorDaysByKey } from "../plans/retention.ts";
import { deleteEventsOfSessions } from "../triggers/retention.ts";
import type { Batch, FoundConversation } from "./batch.ts";

/**
 * The maximum time between a conversation's last change and the recording of an error that it caused, in milliseconds.
 */
const ERROR_DELAY_MS = 60_000;

type EraseDeps = Pick<Deps, "db" | "reads" | "databaseKind">;

/**
 * Deletes a batch, the conversations last. Rows that refer to a deleted row are deleted with it, see
 * test/erasure-map.ts.
 */
export async function eraseBatch(
  deps: EraseDeps,
  log: Pick<ConversationLog, "erase">,
  { organizationId, batch }: { organizationId: string; batch: Batch },
): Promise<void> {
  const { db } = deps;
  await deleteEventsOfSessions(db, organizationId, batch.sessionIds);
  await deleteVisitorDaysByKey(db, organizationId, batch.counterKeys);
  await deleteSubmissionsById(db, organizationId, batch.submissionIds);
  if (batch.conversations.length === 0) return;
  await forgetToolErrors(deps, organizationId, batch.conversations);
  await forgetQueryError(deps, organizationId, batch.conversations);
  await log.erase(
    organizationId,
    batch.conversations.map(({ id }) => id),
  );
}

/** Deletes the newest error of each tool if one of these conversations caused it: it can quote the tool's input. */
async function forgetToolErrors(
  { db, reads, databaseKind }: EraseDeps,
  organizationId: string,
  conversations: readonly FoundConversation[],
): Promise<void> {
  const agentIds = [...new Set(conversations.map(({ agentId }) => agentId))];
  const errors = await db
    .selectFrom("toolErrors")
    .innerJoin("tools", "tools.id", "toolErrors.toolId")
    .select(["toolErrors.toolId", "toolErrors.at"])
    .where("tools.organizationId", "=", organizationId)
    .where("tools.agentId", "in", agentIds)
    .execute();
  for (const { toolId, at } of errors) {
    const candidates = conversations.filter((conversation) => wasActive(conversation, at)).map(({ id }) => id);
    if (candidates.length === 0) continue;
    const calls = db
      .selectFrom("messages")
      .select("id")
      .where("conversationId", "in", candidates)
      .where("pieces", "is not", null)
      .where(containsText(databaseKind, "pieces", toolId))
      .limit(1);
    const [call] = await reads.run(calls, { lane: "list", owner: organizationId });
    if (call) await db.deleteFrom("toolErrors").where("toolId", "=", toolId).where("at", "=", at).execute();
  }
}

/** The provider's message about a question that could not be embedded may quote the question. */
async function forgetQueryError(
  { db }: EraseDeps,
  organizationId: string,
  conversations: readonly FoundConversation[],
): Promise<void> {
  const settings = db.selectFrom("embeddingSettings").select("queryErrorAt");
  const row = await settings.where("organizationId", "=", organizationId).executeTakeFirst();
  const at = row?.queryErrorAt ?? null;
  if (at === null || !conversations.some((conversation) => wasActive(conversation, at))) return;
  await db
    .updateTable("embeddingSettings")
    .set({ queryError: null, queryErrorAt: null })
    .where("organizationId", "=", organizationId)
    .execute();
}

function wasActive({ createdAt, updatedAt }: FoundConversation, at: number): boolean {
  return createdAt <= at && at <= updatedAt + ERROR_DELAY_MS;
}
