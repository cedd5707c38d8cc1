import {
  type AgentContent,
  type AgentFile,
  type AgentTestContent,
  agentFileFormat,
  type ToolContent,
} from "@foyer/contract";
import { withUniqueNames } from "@foyer/contract/rules/compare-contents";
import { inKeyOrder } from "@foyer/contract/rules/in-key-order";
import type { TeamNames } from "./teams.ts";
import { maskSecrets } from "./tool-secrets.ts";

type Source = {
  slug: string;
  content: AgentContent;
  tests: readonly AgentTestContent[];
  /** the email addresses of members, by user id */
  emailOf: ReadonlyMap<string, string>;
  teams: Pick<TeamNames, "nameOf">;
};

/** An agent as `GET /agents/:id/export` returns it: with sorted keys, and without secrets that its tools write out. */
export function toAgentFile({ tests, teams, ...source }: Source): AgentFile {
  const { tools, agent, ...file } = toPlainFile(source);
  const { teamId } = agent.handoff;
  const masked = tools.map(maskSecrets);
  const all = {
    format: agentFileFormat,
    ...file,
    agent: { ...agent, handoff: { ...agent.handoff, teamId: teamId && teams.nameOf(teamId) } },
    tools: masked.map(({ tool }) => tool),
    tests,
    missingSecrets: [...new Set(masked.flatMap(({ names }) => names))].toSorted(),
  };
  return JSON.parse(JSON.stringify(all, inKeyOrder));
}

/** An agent in the form that its file has, with the secrets that its tools write out. */
export function toPlainFile({ slug, content, emailOf }: Omit<Source, "tests" | "teams">) {
  return {
    agent: { slug, ...content.agent },
    tools: content.tools.map((tool) => withAddresses(tool, emailOf)),
    triggers: [...withUniqueNames(content.triggers)]
      .map(([name, trigger]) => ({ ...trigger, name }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Names the recipients of a form's emails by address, because user ids differ between servers. */
function withAddresses(tool: ToolContent, emailOf: ReadonlyMap<string, string>): ToolContent {
  if (!tool.formPostActions) return tool;
  const formPostActions = tool.formPostActions.map(({ recipientIds, ...action }) =>
    recipientIds ? { ...action, recipientIds: recipientIds.map((id) => emailOf.get(id) ?? id) } : action,
  );
  return { ...tool, formPostActions };
}

/** The user ids that an agent's forms notify. */
export function listRecipients({ tools }: Pick<AgentContent, "tools">): string[] {
  return tools.flatMap(({ formPostActions }) =>
    (formPostActions ?? []).flatMap(({ recipientIds }) => recipientIds ?? []),
  );
}
