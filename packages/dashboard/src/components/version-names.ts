import type { AgentVersion } from "@foyer/contract";

/** Who made a version. The first one of an agent from before there were versions has no author. */
export function authorName(createdBy: AgentVersion["createdBy"]): string {
  if (createdBy === null) return "Before versions";
  return createdBy.type === "key" ? `API key ${createdBy.name}` : createdBy.name;
}

/** The version in a URL as the user reads it. */
function versionName(version: string): string {
  return version === "draft" ? "Draft" : `Version ${version}`;
}

/** The options for comparing: the draft, the listed versions, and the two that are compared already. */
export function versionOptions(
  listed: readonly AgentVersion[],
  { hasDraft, chosen }: { hasDraft: boolean; chosen: readonly string[] },
): Array<{ value: string; label: string }> {
  const live = listed.find(({ isLive }) => isLive)?.version;
  const numbers = new Set([...listed.map(({ version }) => version), ...chosen.map(Number).filter(Number.isInteger)]);
  const needsDraft = hasDraft || chosen.includes("draft");
  return [
    ...(needsDraft ? [{ value: "draft", label: versionName("draft") }] : []),
    ...[...numbers]
      .toSorted((a, b) => b - a)
      .map((version) => ({
        value: String(version),
        label: version === live ? `${versionName(String(version))} (live)` : versionName(String(version)),
      })),
  ];
}
