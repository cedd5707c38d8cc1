import { isTeam } from "../auth/members/is-team.ts";
import { findMembers } from "../auth/members/members.ts";
import type { Db } from "../db/open.ts";
import type { AgentRow } from "../db/tables.ts";
import { checkAllSequentially, invalid } from "../errors.ts";
import type { ModelRules } from "../models/choose-model.ts";
import { columnDefaults } from "./columns.ts";
import { parseHandoff } from "./handoff.ts";

type Named = Pick<AgentRow, "model" | "fallbackModels" | "handoff">;

/**
 * Checks the fallback models, the members and the team that a change of an agent names. What the agent already named is
 * not checked again, so that settings can be saved after a provider, a member or a team was removed. The agent's own
 * model may be any: the chat answers 503 until its provider is configured.
 * @param before the agent as members edit it; undefined for a new one
 * @throws 400 with the path of every problem
 */
export async function checkReferences(
  db: Pick<Db, "selectFrom">,
  {
    organizationId,
    before = columnDefaults,
    columns,
  }: { organizationId: string; before?: Named | undefined; columns: Partial<AgentRow> },
  rules: ModelRules,
): Promise<void> {
  const after = { ...before, ...columns };
  await checkAllSequentially([
    () => checkFallbackModels(before, after, rules),
    () => checkEscalation(db, organizationId, { before, after }),
    () => checkTeam(db, organizationId, { before, after }),
  ]);
}

function checkFallbackModels(before: Named, after: Named, { fallbackProblem }: ModelRules): void {
  if (after.fallbackModels === before.fallbackModels && after.model === before.model) return;
  const known: string[] = JSON.parse(before.fallbackModels);
  const ids: string[] = JSON.parse(after.fallbackModels);
  for (const [index, id] of ids.entries()) {
    const path = `fallbackModels.${index}`;
    if (id === after.model) throw invalid(path, "must differ from the agent's own model");
    const problem = known.includes(id) ? null : fallbackProblem(id);
    if (problem !== null) throw invalid(path, problem, "unknown_reference");
  }
}

type Change = { before: Named; after: Named };

async function checkEscalation(
  db: Pick<Db, "selectFrom">,
  organizationId: string,
  { before, after }: Change,
): Promise<void> {
  const known = new Set(parseHandoff(before).escalation);
  const { escalation } = parseHandoff(after);
  const added = escalation.filter((userId) => !known.has(userId));
  if (added.length === 0) return;
  const members = await findMembers(db, organizationId, added);
  const stranger = added.find((userId) => !members.has(userId));
  if (stranger === undefined) return;
  const path = `handoff.escalation.${escalation.indexOf(stranger)}`;
  throw invalid(path, "must be the id of a member of this organization", "unknown_reference");
}

async function checkTeam(db: Pick<Db, "selectFrom">, organizationId: string, { before, after }: Change): Promise<void> {
  const { teamId } = parseHandoff(after);
  if (teamId === null || teamId === parseHandoff(before).teamId) return;
  if (await isTeam(db, organizationId, teamId)) return;
  throw invalid("handoff.teamId", "names a team that does not exist", "unknown_reference");
}
