import { maxTeams } from "@foyer/contract";
import type { Db } from "../../db/open.ts";
import { invalid } from "../../errors.ts";

/** How files name teams: by name, because ids differ between servers. */
export type TeamNames = {
  /** The team's name, or the id of a team that was deleted. */
  nameOf(id: string): string;
  /** @throws 400 at `path` when the organization has no such team */
  idOf(path: string, name: string): string;
};

/** @param current the id of the agent's team, which is meant when several teams have its name, or when it was deleted */
export async function readTeams(db: Db, organizationId: string, current: string | null): Promise<TeamNames> {
  const teams = await db
    .selectFrom("teams")
    .select(["id", "name"])
    .where("organizationId", "=", organizationId)
    .orderBy("id")
    .limit(maxTeams)
    .execute();
  const names = new Map(teams.map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id;
  return {
    nameOf,
    idOf(path, name) {
      if (current !== null && nameOf(current) === name) return current;
      const team = teams.find((one) => one.name === name) ?? teams.find(({ id }) => id === name);
      if (team) return team.id;
      throw invalid(path, `must be the name of a team, and ${name} is none`, "unknown_reference");
    },
  };
}
