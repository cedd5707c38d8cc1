import type { AgentRollout } from "@foyer/contract";
import type { AgentRow } from "../db/tables.ts";

/** A rollout with an id. A conversation that drew a version in an earlier rollout does not return to it in this one. */
export type StoredRollout = AgentRollout & { id: string };

export function parseRollout({ rollout }: Pick<AgentRow, "rollout">): StoredRollout | null {
  return rollout === null ? null : JSON.parse(rollout);
}
