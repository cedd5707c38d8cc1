import type { AgentContent, AgentFile, HandoffChanges } from "@foyer/contract";
import { imageColumns, imageKinds } from "../../agents/columns.ts";
import type { AgentService } from "../../agents/service.ts";
import type { Db } from "../../db/open.ts";
import type { AgentRow } from "../../db/tables.ts";
import { checkAllSequentially } from "../../errors.ts";
import { hasImage, type Missing } from "../missing.ts";
import { differingKeys } from "./differing-keys.ts";
import type { MemberNames } from "./members.ts";
import { under } from "./paths.ts";
import type { TeamNames } from "./teams.ts";

/** `agent` is the agent as members edit it, and `stored` its content; null for one that is created. */
type Current = { agent: AgentRow; stored: AgentContent["agent"] } | null;

/** The columns that the settings of a file change, and the images that are not stored. @throws 400 */
export async function prepareSettings(
  db: Db,
  { agent: given }: Pick<AgentFile, "agent">,
  {
    current,
    agents,
    members,
    teams,
    organizationId,
    path,
  }: {
    current: Current;
    agents: Pick<AgentService, "prepare">;
    members: MemberNames;
    teams: TeamNames;
    organizationId: string;
    path: string;
  },
): Promise<{ columns: Partial<AgentRow>; missing: Missing[] }> {
  const { id: _, slug, images = {}, ...settings } = given;
  const { name, handoff, ...others } = current ? differingKeys(settings, current.stored) : settings;
  let changes: HandoffChanges | null | undefined;
  let columns: Partial<AgentRow> = {};
  await under(`${path}agent.`, () =>
    checkAllSequentially([
      () => {
        changes = toHandoffChanges(handoff, { current, members, teams });
      },
      async () => {
        const input = { ...others, ...(changes === undefined ? {} : { handoff: changes }) };
        columns = await agents.prepare(organizationId, input, current?.agent);
      },
    ]),
  );
  const missing: Missing[] = [];
  const chosen: Partial<AgentRow> = {};
  for (const kind of imageKinds) {
    const version = images[kind];
    const column = imageColumns[kind];
    if (version === undefined || version === (current?.agent[column] ?? null)) continue;
    const isStored =
      version === null || (current && (await hasImage(db, { agentId: current.agent.id, kind, version })));
    if (isStored) chosen[column] = version;
    else
      missing.push({ path: `${path}agent.images.${kind}`, message: `Upload it with PUT /agents/:id/images/${kind}` });
  }
  return { columns: { ...columns, ...(name === undefined ? {} : { name }), ...chosen }, missing };
}

/** What the file changes of the handoff, with ids in place of the names of the team and of members. @throws 400 */
function toHandoffChanges(
  handoff: AgentFile["agent"]["handoff"],
  { current, members, teams }: { current: Current; members: MemberNames; teams: TeamNames },
): HandoffChanges | null | undefined {
  const named = handoff?.teamId ? { ...handoff, teamId: teams.idOf("handoff.teamId", handoff.teamId) } : handoff;
  const changes = current && named ? differingKeys(named, current.stored.handoff) : named;
  const { escalation } = changes ?? {};
  const ids = escalation?.map((member, index) => members.idOf(`handoff.escalation.${index}`, member));
  return changes && ids ? { ...changes, escalation: ids } : changes;
}
