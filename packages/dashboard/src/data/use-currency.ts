import { useQuery } from "@tanstack/react-query";
import { endpointQuery } from "./queries.ts";

/** The currency of the organization's costs, or undefined until it has loaded. All of its prices have the same one. */
export function useCurrency(): string | undefined {
  return useQuery({ ...endpointQuery("listModelPrices"), staleTime: 300_000 }).data?.[0]?.currency;
}
