import type { Db } from "../../db/open.ts";

export async function isTeam(db: Pick<Db, "selectFrom">, organizationId: string, teamId: string): Promise<boolean> {
  const team = await db
    .selectFrom("teams")
    .select("id")
    .where("id", "=", teamId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return team !== undefined;
}
