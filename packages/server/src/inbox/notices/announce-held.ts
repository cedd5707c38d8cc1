import { addOpenMinutes } from "@foyer/contract/rules/office-hours";
import { sql, type Transaction } from "kysely";
import { parseHandoff } from "../../agents/handoff.ts";
import type { ConversationLog } from "../../conversations/log/log.ts";
import type { DatabaseKind } from "../../db/database-kind.ts";
import type { Flag } from "../../db/tables/column-types.ts";
import type { HandoffRow } from "../../db/tables/handoff.ts";
import type { HandoffTimerRow } from "../../db/tables/notices.ts";
import type { Tables } from "../../db/tables.ts";
import { NOT_ANNOUNCED } from "./record-notices.ts";

/** How many times requests that were announced together are announced together again while no member takes them. */
const REPEATS = 3;
/** The maximum number of requests that one notice counts. The others are announced by their own timers. */
const MAX_TOGETHER = 1_000;

type Options = {
  databaseKind: DatabaseKind;
  conversationLog: Pick<ConversationLog, "announce">;
  epoch: number;
  isTest: Flag;
  now: number;
};
type Held = Pick<HandoffTimerRow, "handoffId" | "step">;

/**
 * Notifies the team of a request that was held back, if the visitor is still waiting. Other requests to the same agent
 * that are due as well are announced with it, in one notice, which is repeated until members have taken them.
 */
export async function announceHeld(
  trx: Transaction<Tables>,
  timer: HandoffTimerRow,
  { databaseKind, conversationLog, epoch, isTest, now }: Options,
): Promise<void> {
  const { organizationId, handoffId } = timer;
  const handoff = await trx
    .selectFrom("handoffs")
    .select("agentId")
    .where("id", "=", handoffId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  if (!handoff) return;
  const { agentId } = handoff;
  const held: Held[] = [timer, ...(await takeOtherTimers(trx, timer, { agentId, databaseKind, now }))];
  const announced = await markAnnounced(trx, { organizationId, held, now });
  const shown = announced.find(({ id }) => id === handoffId) ?? announced[0];
  if (!shown) return;
  const place = { organizationId, agentId, conversationId: shown.conversationId, isTest: isTest === 1, epoch };
  if (announced.length === 1 && shown.id === handoffId) {
    const again = { kind: "requested", handoff: shown, heldUntil: null, isRepeated: true } as const;
    return conversationLog.announce(trx, [{ ...place, ...again }]);
  }
  await repeatLater(trx, { organizationId, agentId, announced, held, now });
  const together = { kind: "digest", handoffId: shown.id, count: announced.length } as const;
  await conversationLog.announce(trx, [{ ...place, ...together }]);
}

/**
 * Deletes the due timers of the agent's other requests that were held back. On PostgreSQL, their conversations are
 * locked first, like everywhere. A conversation that is locked already is left to its own timer, because waiting for it
 * while this transaction holds other conversations could be a deadlock.
 */
async function takeOtherTimers(
  trx: Transaction<Tables>,
  { organizationId }: HandoffTimerRow,
  { agentId, databaseKind, now }: { agentId: string; databaseKind: DatabaseKind; now: number },
): Promise<Held[]> {
  const isHeld = sql<boolean>`kind = 'escalation' and step <= ${sql.lit(NOT_ANNOUNCED)} and "dueAt" <= ${now}`;
  const conversations = await trx
    .selectFrom("conversations")
    .select("id")
    .where("organizationId", "=", organizationId)
    .where("agentId", "=", agentId)
    .where("id", "in", (x) =>
      x.selectFrom("handoffTimers").select("conversationId").where("organizationId", "=", organizationId).where(isHeld),
    )
    .limit(MAX_TOGETHER)
    .$if(databaseKind === "postgres", (query) => query.forUpdate().skipLocked())
    .execute();
  if (conversations.length === 0) return [];
  return trx
    .deleteFrom("handoffTimers")
    .where("organizationId", "=", organizationId)
    .where(
      "conversationId",
      "in",
      conversations.map(({ id }) => id),
    )
    .where(isHeld)
    .returning(["handoffId", "step"])
    .execute();
}

/** Notes that the team is notified of the requests that are still open and that no member has taken. */
function markAnnounced(
  trx: Transaction<Tables>,
  { organizationId, held, now }: { organizationId: string; held: Held[]; now: number },
): Promise<HandoffRow[]> {
  return trx
    .updateTable("handoffs")
    .set({ announcedAt: sql<number>`coalesce("announcedAt", ${now})` })
    .where(
      "id",
      "in",
      held.map(({ handoffId }) => handoffId),
    )
    .where("organizationId", "=", organizationId)
    .where("takenAt", "is", null)
    .where("endedAt", "is", null)
    .returningAll()
    .execute();
}

/** Sets the timers after which the requests are announced again. Their steps count the notices so far, downwards. */
async function repeatLater(
  trx: Transaction<Tables>,
  requests: { organizationId: string; agentId: string; announced: HandoffRow[]; held: Held[]; now: number },
): Promise<void> {
  const { organizationId, agentId, announced, held, now } = requests;
  const agent = await trx
    .selectFrom("agents")
    .select("handoff")
    .where("id", "=", agentId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  if (!agent) return;
  const { hours, promiseMinutes } = parseHandoff(agent);
  const dueAt = promiseMinutes === null ? null : addOpenMinutes(hours, promiseMinutes, now);
  if (dueAt === null) return;
  const steps = new Map(held.map(({ handoffId, step }) => [handoffId, step - 1]));
  const timers = announced
    .map(({ id, conversationId }) => ({ handoffId: id, conversationId, step: steps.get(id) ?? NOT_ANNOUNCED - 1 }))
    .filter(({ step }) => step >= NOT_ANNOUNCED - REPEATS)
    .map((timer) => ({ ...timer, organizationId, kind: "escalation" as const, dueAt }));
  if (timers.length > 0) await trx.insertInto("handoffTimers").values(timers).execute();
}
