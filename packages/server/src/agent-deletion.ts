import { deleteAgentConversations } from "./conversations/log/erase.ts";
import type { Db } from "./db/open.ts";
import { withStatementTimeout } from "./db/statement-timeout.ts";
import type { Deps } from "./deps.ts";
import { deleteAgentDocuments } from "./documents/retention.ts";
import { deleteWebhookEvents } from "./events/retention.ts";
import { deleteAgentSubmissions } from "./forms/retention.ts";
import { deleteResponsesOfAgent } from "./http/idempotency.ts";
import { deleteVisitorDays } from "./plans/retention.ts";
import { deleteTriggerEvents } from "./triggers/retention.ts";

/**
 * The tables whose rows can be too many for one transaction. All other rows are deleted together with the agent by
 * their foreign keys.
 */
const contents = [
  deleteWebhookEvents,
  deleteAgentConversations,
  deleteAgentSubmissions,
  deleteTriggerEvents,
  deleteResponsesOfAgent,
  deleteVisitorDays,
  deleteAgentDocuments,
];

/** The statement timeout, in milliseconds. PostgreSQL may have to check many references to the deleted rows. */
const STATEMENT_MS = 600_000;

/** The maximum time that the request that deletes an agent waits for its content to be deleted, in milliseconds. */
const WAIT_MS = 2_000;

/** Finishes deletions of agents that were interrupted by a restart. @returns the number of agents */
export async function deleteRemains(db: Db): Promise<number> {
  const inTrash = db.selectFrom("trash").select("id").where("kind", "=", "agent").where("isPurging", "=", 0);
  const deleted = await db
    .selectFrom("agents")
    .select("id")
    .where("deletedAt", "is not", null)
    .where("id", "not in", inTrash)
    .execute();
  for (const { id } of deleted) await withStatementTimeout(STATEMENT_MS, () => deleteContent(db, id));
  return deleted.length;
}

async function deleteContent(db: Db, agentId: string): Promise<void> {
  for (const deleteSome of contents) await deleteSome(db, agentId);
  await db.deleteFrom("agents").where("id", "=", agentId).where("deletedAt", "is not", null).execute();
}

/**
 * Deletes the content of an agent that readers no longer see. The returned promise resolves after at most two seconds.
 * The rest is then deleted in the background or, after a restart, by the hourly cleanup.
 * @param onDeleted called once the agent's row is deleted; maintenance of the search index waits for this
 */
export function createContentDeletion({ db, log }: Pick<Deps, "db" | "log">, onDeleted: (agentId: string) => void) {
  return async (agentId: string): Promise<void> => {
    const deleted = withStatementTimeout(STATEMENT_MS, () => deleteContent(db, agentId)).then(
      () => onDeleted(agentId),
      (error: unknown) =>
        log.error({ err: error, agentId }, "could not delete the content of a deleted agent; retrying in an hour"),
    );
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS).unref();
    });
    await Promise.race([deleted, waited]);
    clearTimeout(timer);
  };
}
