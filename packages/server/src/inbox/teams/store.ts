import { maxTeams, type TeamMemberInput } from "@foyer/contract";
import { sql, type Transaction } from "kysely";
import { lockRow } from "../../db/lock-row.ts";
import type { Db } from "../../db/open.ts";
import type { TeamRow } from "../../db/tables/teams.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";

type Changes = Partial<Omit<TeamRow, "id" | "organizationId" | "createdAt">>;
type TeamRef = Pick<TeamRow, "id" | "organizationId">;

export function createTeamStore(db: Db) {
  return {
    list: (organizationId: string): Promise<TeamRow[]> =>
      db
        .selectFrom("teams")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .orderBy(sql`lower(name)`)
        .orderBy("id")
        .limit(maxTeams)
        .execute(),
    get: (organizationId: string, id: string): Promise<TeamRow | undefined> =>
      db
        .selectFrom("teams")
        .selectAll()
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .executeTakeFirst(),
    /** The members of these teams who still belong to the organization, by name. */
    members: (organizationId: string, teamIds: readonly string[]) => readMembers(db, organizationId, teamIds),
    /** @returns false when the organization has `maxTeams` */
    async insert(row: TeamRow, members: readonly TeamMemberInput[]): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        // Two requests must not both use the last free slot.
        await lockRow(trx, "organizations", row.organizationId);
        const teams = await trx
          .selectFrom("teams")
          .select("id")
          .where("organizationId", "=", row.organizationId)
          .limit(maxTeams)
          .execute();
        if (teams.length >= maxTeams) return false;
        await trx.insertInto("teams").values(row).execute();
        await replaceMembers(trx, row, members);
        return true;
      });
    },
    async update({ id, organizationId }: TeamRef, changes: Changes, members: readonly TeamMemberInput[] | undefined) {
      return inTransaction(db, async (trx) => {
        const row = await trx
          .updateTable("teams")
          .set(changes)
          .where("id", "=", id)
          .where("organizationId", "=", organizationId)
          .returningAll()
          .executeTakeFirst();
        if (row && members) await replaceMembers(trx, row, members);
        return row;
      });
    },
  };
}

async function readMembers(db: Db, organizationId: string, teamIds: readonly string[]) {
  if (teamIds.length === 0) return [];
  return db
    .selectFrom("teamMembers")
    .innerJoin("members", (join) =>
      join
        .onRef("members.organizationId", "=", "teamMembers.organizationId")
        .onRef("members.userId", "=", "teamMembers.userId"),
    )
    .innerJoin("users", "users.id", "teamMembers.userId")
    .select(["teamMembers.teamId", "teamMembers.userId", "teamMembers.capacity", "users.name"])
    .where("teamMembers.organizationId", "=", organizationId)
    .where("teamMembers.teamId", "in", teamIds)
    .orderBy(sql`lower(users.name)`)
    .orderBy("users.id")
    .execute();
}

/** Replaces the members. Those who stay keep their place in the rotation. */
async function replaceMembers(
  trx: Transaction<Tables>,
  { id: teamId, organizationId }: TeamRef,
  members: readonly TeamMemberInput[],
): Promise<void> {
  const userIds = members.map(({ userId }) => userId);
  await trx
    .deleteFrom("teamMembers")
    .where("teamId", "=", teamId)
    .where("organizationId", "=", organizationId)
    .$if(userIds.length > 0, (query) => query.where("userId", "not in", userIds))
    .execute();
  if (userIds.length === 0) return;
  await trx
    .insertInto("teamMembers")
    .values(members.map(({ userId, capacity }) => ({ organizationId, teamId, userId, capacity })))
    .onConflict((conflict) =>
      conflict.columns(["teamId", "userId"]).doUpdateSet((set) => ({ capacity: set.ref("excluded.capacity") })),
    )
    .execute();
}
