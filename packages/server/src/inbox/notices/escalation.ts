import type { HandoffSettings } from "@foyer/contract";
import type { Transaction } from "kysely";
import { parseHandoff } from "../../agents/handoff.ts";
import type { HandoffRow } from "../../db/tables/handoff.ts";
import type { Tables } from "../../db/tables.ts";
import { type NoticeAudience, readTeamMembers } from "./recipients.ts";

/** For an agent without an order of members: how many times an untaken request is sent to everyone again. */
const REPEATS = 3;

/** Who was notified of a request so far, in order: user ids, with null for everyone at once. */
type Notified = ReadonlyArray<string | null>;

/**
 * Decides who is notified of a request next. The request is sent to each member in the agent's order and then to
 * everyone. Without an order, it is sent to everyone again, three times. The order is compared with the members who
 * were notified instead of counting them, because members join the order and leave the organization while a visitor is
 * waiting. A request for a team is sent to its members only.
 */
function nextAudience(order: HandoffSettings["escalation"], notified: Notified, teamId: string | null): NoticeAudience {
  const everyoneCount = notified.filter((userId) => userId === null).length;
  const hasOrder = order.length > 0 || everyoneCount < notified.length;
  if (everyoneCount >= (hasOrder ? 1 : 1 + REPEATS)) return null;
  const userId = order.find((one) => !notified.includes(one));
  return everyoneCount > 0 || userId === undefined ? { kind: "everybody", teamId } : { kind: "member", userId };
}

/**
 * Decides who is notified of a request now, and notes it with the request.
 * @returns null when the agent was deleted
 */
export async function takeNextAudience(
  trx: Transaction<Tables>,
  { id, organizationId }: Pick<HandoffRow, "id" | "organizationId">,
): Promise<{ audience: NonNullable<NoticeAudience>; hasNext: boolean; settings: HandoffSettings } | null> {
  const request = await trx
    .selectFrom("handoffs")
    .innerJoin("agents", "agents.id", "handoffs.agentId")
    .select(["agents.handoff", "handoffs.notified", "handoffs.teamId"])
    .where("handoffs.id", "=", id)
    .where("handoffs.organizationId", "=", organizationId)
    .executeTakeFirst();
  if (!request) return null;
  const settings = parseHandoff(request);
  const { teamId } = request;
  const team = await readTeamMembers(trx, organizationId, teamId);
  const current = await readCurrentOrder(trx, organizationId, settings);
  const order = team.length === 0 ? current : current.filter((userId) => team.includes(userId));
  const earlier = JSON.parse(request.notified) as Notified;
  // A timer is set only if there is a next audience. If the order has changed since then, notify everyone, not no one.
  const audience: NonNullable<NoticeAudience> = nextAudience(order, earlier, teamId) ?? { kind: "everybody", teamId };
  const notified = [...earlier, audience.kind === "member" ? audience.userId : null];
  await trx
    .updateTable("handoffs")
    .set({ notified: JSON.stringify(notified) })
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .execute();
  return { audience, hasNext: nextAudience(order, notified, teamId) !== null, settings };
}

/** The order of members, without those who have left the organization. */
async function readCurrentOrder(
  trx: Transaction<Tables>,
  organizationId: string,
  { escalation }: Pick<HandoffSettings, "escalation">,
): Promise<string[]> {
  if (escalation.length === 0) return [];
  const rows = await trx
    .selectFrom("members")
    .select("userId")
    .where("organizationId", "=", organizationId)
    .where("userId", "in", escalation)
    .execute();
  const members = new Set(rows.map(({ userId }) => userId));
  return [...new Set(escalation)].filter((userId) => members.has(userId));
}
