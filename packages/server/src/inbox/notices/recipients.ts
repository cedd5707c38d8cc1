import type { Transaction } from "kysely";
import type { NoticeChannelRow, PushSubscriptionRow } from "../../db/tables/notices.ts";
import type { Tables } from "../../db/tables.ts";

/**
 * The maximum number of members who are notified. In a larger organization, the agent's owner should choose who is
 * notified.
 */
const MAX_NOTIFIED = 100;

/**
 * The recipients of a request: one member, everyone at the same time, or no one because the request has ended. With a
 * team, everyone means its members, or all members while it has none.
 */
export type NoticeAudience = { kind: "member"; userId: string } | { kind: "everybody"; teamId: string | null } | null;

type Recipients = {
  /** members who want an email */
  emails: string[];
  devices: Array<Pick<PushSubscriptionRow, "id" | "userId" | "endpoint">>;
  channels: Array<Pick<NoticeChannelRow, "id" | "url">>;
};

/** The owners and admins of an organization. */
export async function findAdmins(trx: Transaction<Tables>, organizationId: string): Promise<string[]> {
  const rows = await trx
    .selectFrom("members")
    .select("userId")
    .where("organizationId", "=", organizationId)
    .where("role", "in", ["owner", "admin"])
    .orderBy("id")
    .limit(MAX_NOTIFIED)
    .execute();
  return rows.map(({ userId }) => userId);
}

/** The members to notify, with their notification settings, and the team's channels. */
export async function findRecipients(
  trx: Transaction<Tables>,
  organizationId: string,
  audience: NonNullable<NoticeAudience>,
): Promise<Recipients> {
  const teamMembers = audience.kind === "everybody" ? await readTeamMembers(trx, organizationId, audience.teamId) : [];
  const members = await trx
    .selectFrom("members")
    .leftJoin("noticeSettings", (join) =>
      join
        .onRef("noticeSettings.organizationId", "=", "members.organizationId")
        .onRef("noticeSettings.userId", "=", "members.userId"),
    )
    .select(["members.userId", "noticeSettings.email", "noticeSettings.push"])
    .where("members.organizationId", "=", organizationId)
    .$if(audience.kind === "member", (query) =>
      query.where("members.userId", "=", audience.kind === "member" ? audience.userId : ""),
    )
    .$if(teamMembers.length > 0, (query) => query.where("members.userId", "in", teamMembers))
    .orderBy("members.id")
    .limit(MAX_NOTIFIED)
    .execute();
  const pushUserIds = members.filter(({ push }) => push !== 0).map(({ userId }) => userId);
  const devices =
    pushUserIds.length === 0
      ? []
      : await trx
          .selectFrom("pushSubscriptions")
          .select(["id", "userId", "endpoint"])
          .where("organizationId", "=", organizationId)
          .where("userId", "in", pushUserIds)
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

/** The ids of a team's members who still belong to the organization. */
export async function readTeamMembers(
  trx: Transaction<Tables>,
  organizationId: string,
  teamId: string | null,
): Promise<string[]> {
  if (teamId === null) return [];
  const rows = await trx
    .selectFrom("teamMembers")
    .innerJoin("members", (join) =>
      join
        .onRef("members.organizationId", "=", "teamMembers.organizationId")
        .onRef("members.userId", "=", "teamMembers.userId"),
    )
    .select("teamMembers.userId")
    .where("teamMembers.teamId", "=", teamId)
    .where("teamMembers.organizationId", "=", organizationId)
    .execute();
  return rows.map(({ userId }) => userId);
}
