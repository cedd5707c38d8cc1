import type { Output } from "@foyer/sdk";
import { useQueries, useSuspenseQuery } from "@tanstack/react-query";
import { endpointQuery } from "../../data/queries.ts";

export type AgentTools = { agent: Output<"listAgents">[number]; tools: Output<"listTools"> };

/** A form tool and the agent it belongs to. */
export type AgentForm = { agent: AgentTools["agent"]; tool: AgentTools["tools"][number] };

/** The tools of the first `count` agents, as they load. `isLoading` is true until all have loaded. */
export function useAllTools(count: number) {
  const { data: agents } = useSuspenseQuery(endpointQuery("listAgents"));
  const shown = agents.slice(0, count);
  const answers = useQueries({ queries: shown.map(({ id }) => endpointQuery("listTools", { agentId: id })) });
  return {
    byAgent: shown.flatMap((agent, index): AgentTools[] => {
      const tools = answers[index]?.data;
      return tools ? [{ agent, tools }] : [];
    }),
    hasMore: agents.length > count,
    isLoading: answers.some(({ isPending }) => isPending),
    error: answers.find(({ error }) => error)?.error ?? null,
    retry: () => Promise.all(answers.map((answer) => answer.refetch())),
  };
}
