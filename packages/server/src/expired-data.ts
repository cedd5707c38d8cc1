import { DAY_MS } from "@foyer/contract/rules/time";
import { defaultRetention, resolveRetention } from "./agents/retention.ts";
import { deleteOlderThan } from "./conversations/log/erase.ts";
import { readPagesById } from "./db/pages-by-id.ts";
import type { Deps } from "./deps.ts";
import { deleteAgentEventsBefore } from "./events/retention.ts";
import { deleteFilesBefore, deleteSubmissionsBefore } from "./forms/retention.ts";
import { deleteEventsBefore } from "./triggers/retention.ts";
import { toUtcDay } from "./utc-day.ts";

const AGENTS_PER_PAGE = 200;

/**
 * Deletes data that is older than its agent's retention allows, in small batches. @param now milliseconds
 * @returns the number of deleted rows
 */
export async function deleteExpiredData(
  deps: Pick<Deps, "db" | "databaseKind" | "config" | "log">,
  now: number,
): Promise<number> {
  const { db, log } = deps;
  const defaults = defaultRetention(deps.config);
  const pages = readPagesById(AGENTS_PER_PAGE, (after) =>
    db
      .selectFrom("agents")
      .select(["id", "retention"])
      .where("id", ">", after)
      // Also of agents in the trash. The content of deleted ones is being deleted as a whole.
      .where(({ or, eb, selectFrom }) =>
        or([
          eb("deletedAt", "is", null),
          eb("id", "in", selectFrom("trash").select("trash.id").where("kind", "=", "agent")),
        ]),
      )
      .orderBy("id")
      .limit(AGENTS_PER_PAGE)
      .execute(),
  );
  async function deleteOfAgent(agent: { id: string; retention: string }): Promise<number> {
    let deleted = 0;
    const { conversations, submissions, files, events } = resolveRetention(agent, defaults);
    const daysAgo = (days: number) => now - days * DAY_MS;
    if (conversations !== null) deleted += await deleteOlderThan(db, agent.id, daysAgo(conversations));
    if (submissions !== null) deleted += await deleteSubmissionsBefore(db, agent.id, daysAgo(submissions));
    if (files !== null) deleted += await deleteFilesBefore(db, agent.id, daysAgo(files));
    if (events !== null) {
      deleted += await deleteEventsBefore(db, agent.id, toUtcDay(daysAgo(events)));
      deleted += await deleteAgentEventsBefore(deps, agent.id, daysAgo(events));
    }
    return deleted;
  }

  let deleted = 0;
  for await (const agents of pages) {
    for (const agent of agents) {
      try {
        deleted += await deleteOfAgent(agent);
      } catch (error) {
        // One agent whose data cannot be deleted must not keep the data of others.
        log.error({ err: error, agentId: agent.id }, "could not delete an agent's expired data; retrying in an hour");
      }
    }
  }
  return deleted;
}
