import { type ConversationSelection, maxViews, type ViewReference } from "@foyer/contract";
import { type ExpressionBuilder, sql } from "kysely";
import { lockRow } from "../../db/lock-row.ts";
import type { Db } from "../../db/open.ts";
import type { InboxViewRow } from "../../db/tables/inbox.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";

/** Who asks for views. `userId` is null for an API key, which has none of its own. */
export type ViewUser = { organizationId: string; userId: string | null };

type Changes = Partial<Pick<InboxViewRow, "name" | "filter" | "ownerId" | "teamId" | "sort" | "columns">> &
  Pick<InboxViewRow, "updatedAt">;

export function createViewStore(db: Db) {
  return {
    /** The views that the organization shares and those of the user, by name. */
    async list(user: ViewUser): Promise<InboxViewRow[]> {
      return db
        .selectFrom("inboxViews")
        .selectAll()
        .where("organizationId", "=", user.organizationId)
        .where(isVisibleTo(user))
        .orderBy(sql`lower(name)`)
        .orderBy("id")
        .limit(2 * maxViews)
        .execute();
    },
    async get(user: ViewUser, id: string): Promise<InboxViewRow | undefined> {
      return db
        .selectFrom("inboxViews")
        .selectAll()
        .where("id", "=", id)
        .where("organizationId", "=", user.organizationId)
        .where(isVisibleTo(user))
        .executeTakeFirst();
    },
    /** @returns false when its owner, or the organization for a shared one, has `maxViews` */
    async insert(row: InboxViewRow): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        // Two requests must not both use the last free slot.
        await lockRow(trx, "organizations", row.organizationId);
        const siblings = await trx
          .selectFrom("inboxViews")
          .select("id")
          .where("organizationId", "=", row.organizationId)
          .where("ownerId", "is not distinct from", row.ownerId)
          .limit(maxViews)
          .execute();
        if (siblings.length >= maxViews) return false;
        await trx.insertInto("inboxViews").values(row).execute();
        return true;
      });
    },
    /** @returns undefined when the user has no such view, null when its new owner has `maxViews` */
    async update(user: ViewUser, id: string, changes: Changes): Promise<InboxViewRow | null | undefined> {
      return inTransaction(db, async (trx) => {
        await lockRow(trx, "organizations", user.organizationId);
        if (changes.ownerId !== undefined) {
          const siblings = await trx
            .selectFrom("inboxViews")
            .select("id")
            .where("organizationId", "=", user.organizationId)
            .where("ownerId", "is not distinct from", changes.ownerId)
            .where("id", "<>", id)
            .limit(maxViews)
            .execute();
          if (siblings.length >= maxViews) return null;
        }
        return trx
          .updateTable("inboxViews")
          .set(changes)
          .where("id", "=", id)
          .where("organizationId", "=", user.organizationId)
          .where(isVisibleTo(user))
          .returningAll()
          .executeTakeFirst();
      });
    },
    async delete(user: ViewUser, id: string): Promise<boolean> {
      const result = await db
        .deleteFrom("inboxViews")
        .where("id", "=", id)
        .where("organizationId", "=", user.organizationId)
        .where(isVisibleTo(user))
        .executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    async isTeamMember(
      organizationId: string,
      { teamId, userId }: { teamId: string; userId: string },
    ): Promise<boolean> {
      const row = await db
        .selectFrom("teamMembers")
        .select("userId")
        .where("organizationId", "=", organizationId)
        .where("teamId", "=", teamId)
        .where("userId", "=", userId)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** @returns a function that tells what a filter names although the organization does not have it */
    async findMissing(organizationId: string, filters: readonly ConversationSelection[]) {
      const existing = await readExisting(db, organizationId, filters);
      return (filter: ConversationSelection): ViewReference[] =>
        namedBy(filter).flatMap(({ reference, id }) => (existing.has(`${reference} ${id}`) ? [] : [reference]));
    },
  };
}

function isVisibleTo({ userId }: ViewUser) {
  return ({ eb, or }: ExpressionBuilder<Tables, "inboxViews">) =>
    // An API key sees the shared views of all teams.
    userId === null
      ? eb("ownerId", "is", null)
      : or([
          eb("ownerId", "=", userId),
          eb.and([
            eb("ownerId", "is", null),
            or([
              eb("teamId", "is", null),
              eb.exists(selectTeamMembers(eb).where("teamMembers.userId", "=", userId)),
              // While a team has no members, everyone has its views. Otherwise, no one could change or delete them.
              eb.not(eb.exists(selectTeamMembers(eb))),
            ]),
          ]),
        ]);
}

/** The members of the view's team who still belong to the organization. */
function selectTeamMembers(eb: ExpressionBuilder<Tables, "inboxViews">) {
  return eb
    .selectFrom("teamMembers")
    .innerJoin("members", (join) =>
      join
        .onRef("members.organizationId", "=", "teamMembers.organizationId")
        .onRef("members.userId", "=", "teamMembers.userId"),
    )
    .select("teamMembers.teamId")
    .whereRef("teamMembers.teamId", "=", "inboxViews.teamId")
    .whereRef("teamMembers.organizationId", "=", "inboxViews.organizationId");
}

function namedBy({
  agentId,
  tag,
  assignee,
  team,
}: ConversationSelection): Array<{ reference: ViewReference; id: string }> {
  return [
    ...(agentId === undefined ? [] : [{ reference: "agent" as const, id: agentId }]),
    ...(tag === undefined ? [] : [{ reference: "tag" as const, id: tag }]),
    ...(team === undefined ? [] : [{ reference: "team" as const, id: team }]),
    ...(assignee === undefined || assignee === "me" || assignee === "none"
      ? []
      : [{ reference: "assignee" as const, id: assignee }]),
  ];
}

async function readExisting(
  db: Db,
  organizationId: string,
  filters: readonly ConversationSelection[],
): Promise<Set<string>> {
  const named = filters.flatMap(namedBy);
  const idsOf = (wanted: ViewReference) => [
    ...new Set(named.flatMap(({ reference, id }) => (reference === wanted ? [id] : []))),
  ];
  const [agents, tags, members, teams] = [idsOf("agent"), idsOf("tag"), idsOf("assignee"), idsOf("team")];
  const [agentRows, tagRows, memberRows, teamRows] = await Promise.all([
    agents.length === 0
      ? []
      : db
          .selectFrom("agents")
          .select("id")
          .where("organizationId", "=", organizationId)
          .where("id", "in", agents)
          .where("deletedAt", "is", null)
          .execute(),
    tags.length === 0
      ? []
      : db
          .selectFrom("tags")
          .select("id")
          .where("organizationId", "=", organizationId)
          .where("id", "in", tags)
          .execute(),
    members.length === 0
      ? []
      : db
          .selectFrom("members")
          .select("userId")
          .where("organizationId", "=", organizationId)
          .where("userId", "in", members)
          .execute(),
    teams.length === 0
      ? []
      : db
          .selectFrom("teams")
          .select("id")
          .where("organizationId", "=", organizationId)
          .where("id", "in", teams)
          .execute(),
  ]);
  return new Set([
    ...agentRows.map(({ id }) => `agent ${id}`),
    ...tagRows.map(({ id }) => `tag ${id}`),
    ...memberRows.map(({ userId }) => `assignee ${userId}`),
    ...teamRows.map(({ id }) => `team ${id}`),
  ]);
}
