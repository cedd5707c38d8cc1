import type { Agent } from "@foyer/contract";
import type { ContentChange } from "@foyer/contract/rules/compare-contents";
import { useQuery } from "@tanstack/react-query";
import { endpointQuery } from "../../../data/queries.ts";

/** How the draft of an agent differs from what visitors get. Without a draft of its own, nothing does. */
export function useDraftChanges({ id, publishing, liveVersion }: Agent): readonly ContentChange[] {
  const comparison = useQuery({
    ...endpointQuery("compareAgentVersions", { id, from: String(liveVersion), to: "draft" }),
    enabled: publishing === "manual",
  });
  return (publishing === "manual" && comparison.data?.changes) || [];
}
