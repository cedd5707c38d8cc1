import { useQuery } from "@tanstack/react-query";
import { endpointQuery } from "../../data/queries.ts";

/** The signed-in user's id. */
export function useMe(): string | null {
  return useQuery(endpointQuery("getSession")).data?.user.id ?? null;
}
