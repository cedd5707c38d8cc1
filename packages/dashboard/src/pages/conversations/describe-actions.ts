import type { ReplyActions } from "./composer-text.ts";

type Named = { id: string; name: string };
type Known = {
  tags: readonly Named[];
  members: ReadonlyArray<Named & { email: string }>;
  teams: readonly Named[];
};

/** Describes actions in a few words, such as "tag refund, resolve". Says what no longer exists. */
export function describeActions(
  { tagIds = [], assign, snoozeMinutes, resolve }: ReplyActions,
  { tags, members, teams }: Known,
): string {
  const parts = tagIds.map((id) => `tag ${tags.find((tag) => tag.id === id)?.name ?? "(deleted tag)"}`);
  const names = [];
  if (assign?.userId) {
    const member = members.find(({ id }) => id === assign.userId);
    names.push(member ? member.name || member.email : "(former member)");
  }
  if (assign?.teamId) names.push(teams.find(({ id }) => id === assign.teamId)?.name ?? "(deleted team)");
  if (names.length > 0) parts.push(`assign to ${names.join(" in ")}`);
  if (snoozeMinutes !== undefined) parts.push(`snooze for ${describeMinutes(snoozeMinutes)}`);
  if (resolve) parts.push("resolve");
  return parts.join(", ");
}

/** Writes a number of minutes in the largest unit that divides it, such as "3 days". */
export function describeMinutes(minutes: number): string {
  const units = [
    { length: 1_440, name: "day" },
    { length: 60, name: "hour" },
    { length: 1, name: "minute" },
  ];
  const unit = units.find(({ length }) => minutes % length === 0);
  if (!unit) return `${minutes} minutes`;
  const count = minutes / unit.length;
  return `${count} ${unit.name}${count === 1 ? "" : "s"}`;
}
