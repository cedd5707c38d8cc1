import { isAtLeast } from "@foyer/contract/rules/roles";
import { useQuery } from "@tanstack/react-query";
import { endpointQuery } from "./queries.ts";

/** The user's permissions. Only admins and owners can use secrets and signing secrets. */
export function useRole(): { isAdmin: boolean } {
  const { data } = useQuery(endpointQuery("getSession"));
  return { isAdmin: isAtLeast(data?.role ?? "member", "admin") };
}
