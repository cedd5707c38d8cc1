import type { AgentFileTool, ToolContent } from "@foyer/contract";
import type { Principal } from "../../auth/sessions/authenticate.ts";
import type { ToolRow } from "../../db/tables.ts";
import { checkAllSequentially, invalid } from "../../errors.ts";
import type { ToolService } from "../../tools/service.ts";
import { differingKeys } from "./differing-keys.ts";
import type { MemberNames } from "./members.ts";
import { under } from "./paths.ts";
import { findPlainSecrets, toSecretName, unmaskSecrets } from "./tool-secrets.ts";

/** Rows to write to an agent, in this order: `removed`, `changed`, `created`. */
export type RowChanges<Row> = {
  removed: Row[];
  changed: Array<{ row: Row; changes: Partial<Row> }>;
  created: Row[];
};

type Current = { rows: readonly ToolRow[]; plain: readonly ToolContent[] };

type Context = {
  principal: Principal;
  tools: Pick<ToolService, "prepareNew" | "prepareChange">;
  members: MemberNames;
  isSecret(name: string): boolean;
  path: string;
  prune: boolean;
};

/** Checks the tools of a file against those of the agent. @throws 400 with the path of every problem, or 403 */
export async function prepareTools(
  given: readonly AgentFileTool[] | undefined,
  current: Current,
  { principal, tools, members, isSecret, path, prune }: Context,
): Promise<RowChanges<ToolRow>> {
  const result: RowChanges<ToolRow> = { removed: [], changed: [], created: [] };
  if (given === undefined) return result;
  const names = new Set(given.map(({ name }) => name));
  if (prune) result.removed.push(...current.rows.filter(({ name }) => !names.has(name)));
  await checkAllSequentially(
    given.map((tool, index) => () => under(`${path}tools.${index}.`, () => prepare(tool, index))),
  );
  return result;

  async function prepare(tool: AgentFileTool, index: number): Promise<void> {
    if (given?.findIndex(({ name }) => name === tool.name) !== index) {
      throw invalid("name", "is the name of an earlier tool of the file", "duplicate");
    }
    for (const value of findPlainSecrets(tool)) {
      const name = toSecretName(tool, value);
      const advice = `Write {{${name}}} and store the value with PUT /secrets/${name}`;
      throw invalid(value.path, `contains a secret as plain text. ${advice}`, "not_allowed");
    }
    const row = current.rows.find(({ name }) => name === tool.name);
    const stored = current.plain.find(({ name }) => name === tool.name);
    if (!row || !stored) {
      result.created.push(await tools.prepareNew(principal, { ...withUserIds(tool, members), agentId: "" }));
      return;
    }
    const changes = differingKeys(unmaskSecrets(tool, { stored, isSecret }), stored);
    if (Object.keys(changes).length === 0) return;
    result.changed.push({ row, changes: await tools.prepareChange(principal, row, withUserIds(changes, members)) });
  }
}

/** Replaces the email addresses of members with their ids. @throws 400 for an address that is not a member's */
function withUserIds<Tool extends Partial<AgentFileTool>>(tool: Tool, { idOf }: MemberNames): Tool {
  if (!tool.formPostActions) return tool;
  const formPostActions = tool.formPostActions.map((action, index) => {
    if (!action.recipientIds) return action;
    const path = `formPostActions.${index}.recipientIds`;
    return { ...action, recipientIds: action.recipientIds.map((name, place) => idOf(`${path}.${place}`, name)) };
  });
  return { ...tool, formPostActions };
}
