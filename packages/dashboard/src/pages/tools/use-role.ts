import { isAtLeast } from "@foyer/contract/rules/roles";
import { useQuery } from "@tanstack/react-query";
import { ask } from "../../data/queries.ts";

/** What the viewer may do here. Secrets, and what signs webhooks, are for admins and owners. */
export function useRole(): { isAdmin: boolean } {
  const { data } = useQuery(ask("getSession"));
  return { isAdmin: isAtLeast(data?.role ?? "member", "admin") };
}
