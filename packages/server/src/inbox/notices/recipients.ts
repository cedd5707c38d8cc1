import type { HandoffSettings } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { NoticeChannelRow, PushSubscriptionRow } from "../../db/notice-tables.ts";
import type { Tables } from "../../db/tables.ts";

/** For an agent without an order of members: how many times an untaken request is sent to everyone again. */
const REPEATS = 3;
/** With more members, the agent's owner should choose who is notified. */
const MAX_NOTIFIED = 100;

/** The recipients of a request: one member, everyone at once, or no one anymore. */
export type Turn = { kind: "member"; userId: string } | { kind: "everybody" } | null;

/**
 * Who is notified of a request after it was escalated `step` times. It goes to each member in the agent's order and
 * then to everyone. Without an order, it goes to everyone again, three times.
 */
export function turnOf(order: HandoffSettings["escalation"], step: number): Turn {
  const userId = order[step];
  if (userId !== undefined) return { kind: "member", userId };
  const last = order.length === 0 ? REPEATS : order.length;
  return step <= last ? { kind: "everybody" } : null;
}

/** The order of members, without those who have left the organization. */
export async function currentOrder(
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

type Recipients = {
  /** members who want an email */
  emails: string[];
  devices: Array<Pick<PushSubscriptionRow, "id" | "userId" | "endpoint">>;
  channels: Array<Pick<NoticeChannelRow, "id" | "url">>;
};

/** The members whose turn it is, with their notification settings, and the team's channels. */
export async function recipientsOf(
  trx: Transaction<Tables>,
  organizationId: string,
  turn: NonNullable<Turn>,
): Promise<Recipients> {
  const members = await trx
    .selectFrom("members")
    .leftJoin("noticeSettings", (join) =>
      join
        .onRef("noticeSettings.organizationId", "=", "members.organizationId")
        .onRef("noticeSettings.userId", "=", "members.userId"),
    )
    .select(["members.userId", "noticeSettings.email", "noticeSettings.push"])
    .where("members.organizationId", "=", organizationId)
    .$if(turn.kind === "member", (query) =>
      query.where("members.userId", "=", turn.kind === "member" ? turn.userId : ""),
    )
    .orderBy("members.id")
    .limit(MAX_NOTIFIED)
    .execute();
  const pushed = members.filter(({ push }) => push !== 0).map(({ userId }) => userId);
  const devices =
    pushed.length === 0
      ? []
      : await trx
          .selectFrom("pushSubscriptions")
          .select(["id", "userId", "endpoint"])
          .where("organizationId", "=", organizationId)
          .where("userId", "in", pushed)
          .orderBy("id")
          .execute();
  const channels = await trx
    .selectFrom("noticeChannels")
    .select(["id", "url"])
    .where("organizationId", "=", organizationId)
    .where("kind", "=", "webhook")
    .where("isEnabled", "=", 1)
    .orderBy("id")
    .execute();
  return { emails: members.filter(({ email }) => email !== 0).map(({ userId }) => userId), devices, channels };
}
