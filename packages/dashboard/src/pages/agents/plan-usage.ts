import { FoyerError } from "@foyer/sdk";
import { queryOptions } from "@tanstack/react-query";

/** What each agent used in this calendar month (UTC). */
export type Usage = {
  agents: Array<{ id: string; tokensThisMonth: number; conversationsThisMonth: number }>;
};

export const planUsage = queryOptions({
  queryKey: ["getPlan", null],
  queryFn: async ({ signal }): Promise<Usage> => {
    const response = await fetch("/plan", { signal });
    if (!response.ok) throw new FoyerError("NOT_FOUND", "The usage could not be read.", { status: response.status });
    return (await response.json()).usage;
  },
  staleTime: 30_000,
});
