import type { Db } from "./open.ts";

/** The ids of an organization's agents, to restrict tables that name only the agent. */
export function selectAgentIds(db: Pick<Db, "selectFrom">, organizationId: string) {
  return db.selectFrom("agents").select("agents.id").where("agents.organizationId", "=", organizationId);
}
