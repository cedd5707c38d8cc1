import { isAtLeast } from "@foyer/contract/rules/roles";
import { useQuery } from "@tanstack/react-query";
import { ask } from "../../data/queries.ts";

/** The user's permissions. Only admins and owners can use secrets and signing secrets. */
export function useRole(): { isAdmin: boolean } {
  const { data } = useQuery(ask("getSession"));
  return { isAdmin: isAtLeast(data?.role ?? "member", "admin") };
}
