import type { Agent, Tool, Trigger } from "@foyer/contract";
import { type ContentChange, compareContents } from "@foyer/contract/rules/compare-contents";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { askAboutConflict } from "./edit-conflict.ts";
import { endpointQuery, isConflict, queryClient, refresh } from "./queries.ts";

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

/**
 * Protects the writes of a page from overwriting what others have saved unseen. While `form` has unsaved changes, the
 * state that the user has seen stays the one from before the first of them.
 */
export function useAgentEdits(agentId: string, form?: { isDirty: boolean; reset: () => void }): AgentEdits {
  const agent = useQuery(endpointQuery("getAgent", { id: agentId })).data;
  const tools = useQuery(endpointQuery("listTools", { agentId })).data;
  const triggers = useQuery(endpointQuery("listTriggers", { agentId })).data;
  const seen = useRef<AgentState>({});
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const isDirty = form?.isDirty ?? false;
  useEffect(() => {
    const now = { agent, tools, triggers };
    seen.current = isDirty ? fillGaps(seen.current, now) : now;
  }, [isDirty, agent, tools, triggers]);

  async function send<T>(write: (ifMatch: string) => Promise<T>): Promise<T> {
    const before = seen.current;
    const sent = await write(before.agent?.draftHash ?? "*").then(
      (result) => ({ result }),
      async (error: unknown) => {
        if (!isConflict(error) || !(await mayOverwrite(before))) throw error;
        return null;
      },
    );
    if (sent === null) return send(write);
    seen.current = await readState(agentId);
    void refresh("compareAgentVersions", "listAgentVersions");
    return sent.result;
  }

  /** Asks the user about what others have changed. Nothing that the page shows may have changed at all. */
  async function mayOverwrite(before: AgentState): Promise<boolean> {
    const now = await readState(agentId);
    void refresh("getTool", "getTrigger", "compareAgentVersions", "listAgentVersions");
    const changes = compareStates(before, now);
    if (changes.length > 0) {
      const answer = await askAboutConflict({
        agentName: now.agent?.name ?? "",
        changes,
        hasForm: form !== undefined,
      });
      if (answer === "reload") form?.reset();
      if (answer !== "overwrite") return false;
    }
    seen.current = now;
    return true;
  }

  return {
    write(write) {
      // A second write would otherwise send the state from before the first one.
      const running = last.current.then(() => send(write));
      last.current = running.catch(() => {});
      return running;
    },
  };
}

/** What was not loaded yet when the user began to type. */
function fillGaps(seen: AgentState, now: AgentState): AgentState {
  return {
    agent: seen.agent ?? now.agent,
    tools: seen.tools ?? now.tools,
    triggers: seen.triggers ?? now.triggers,
  };
}

/** Reads the current state from the server. Open pages show it. */
async function readState(agentId: string): Promise<AgentState> {
  const staleTime = 0;
  const [agent, tools, triggers] = await Promise.all([
    queryClient.fetchQuery({ ...endpointQuery("getAgent", { id: agentId }), staleTime }),
    queryClient.fetchQuery({ ...endpointQuery("listTools", { agentId }), staleTime }),
    queryClient.fetchQuery({ ...endpointQuery("listTriggers", { agentId }), staleTime }),
  ]);
  return { agent, tools, triggers };
}

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
