import { createRequest } from "@foyer/sdk";
import { queryOptions } from "@tanstack/react-query";

/** How a tool failed last in a chat; `recoveredAt` is `null` while it is broken. */
export type ToolFailure = { at: string; message: string; recoveredAt: string | null };

const request = createRequest({ baseUrl: location.origin, credentials: "same-origin" });

/** The last failures of an agent's tools, by their ids; tools that never failed are not in it. */
export function toolErrors(agentId: string) {
  return queryOptions({
    queryKey: ["listToolErrors", { agentId }] as const,
    queryFn: async ({ signal }): Promise<Record<string, ToolFailure>> =>
      (await request(`/tools/errors?agentId=${encodeURIComponent(agentId)}`, { signal })).json(),
  });
}
