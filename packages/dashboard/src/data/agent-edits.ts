import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type AgentEdits, type AgentState, compareStates } from "./agent-state.ts";
import { askAboutConflict } from "./edit-conflict.ts";
import { endpointQuery, isConflict, queryClient, refresh } from "./queries.ts";

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
