import type { Agent, Tool, Trigger } from "@foyer/contract";
import { type ContentChange, compareContents } from "@foyer/contract/rules/compare-contents";

/** An agent with its tools and triggers, as members edit them. Before they are loaded, lists are undefined. */
export type AgentState = {
  agent?: Agent | undefined;
  tools?: readonly Tool[] | undefined;
  triggers?: readonly Trigger[] | undefined;
};

/** The writes of a page to an agent, its tools and its triggers. */
export type AgentEdits = {
  /**
   * Sends a write with `If-Match` of the state that the page shows. If somebody else has changed the agent since, the
   * user decides what happens. Writes run one after another. Rejects with the server's 412 if nothing was saved.
   */
  write<T>(send: (ifMatch: string) => Promise<T>): Promise<T>;
};

/** What others have changed. Lists that were not loaded are not compared. */
export function compareStates(seen: AgentState, now: AgentState): ContentChange[] {
  if (!seen.agent || !now.agent) return [];
  const hasTools = seen.tools !== undefined && now.tools !== undefined;
  const hasTriggers = seen.triggers !== undefined && now.triggers !== undefined;
  const toContent = (agent: Agent, { tools = [], triggers = [] }: AgentState) => ({
    agent: toSettings(agent),
    tools: hasTools ? tools.map(toToolSettings) : [],
    triggers: hasTriggers ? triggers.map(toTriggerSettings) : [],
  });
  return compareContents(toContent(seen.agent, seen), toContent(now.agent, now));
}

// Without what only the server sets.
function toSettings({ id, slug, modelIsDefault, liveVersion, rollout, draftHash, ...agent }: Agent) {
  const { createdAt, updatedAt, ...settings } = agent;
  return settings;
}

function toToolSettings({ id, agentId, warnings, createdAt, updatedAt, ...settings }: Tool) {
  return settings;
}

function toTriggerSettings({ id, agentId, createdAt, updatedAt, ...settings }: Trigger) {
  return settings;
}
