import type { ReplyActions } from "./composer-text.ts";

type Named = { id: string; name: string };
/** Undefined until they have loaded. */
export type ActionNames = {
  tags: readonly Named[] | undefined;
  members: ReadonlyArray<Named & { email: string }> | undefined;
  teams: readonly Named[] | undefined;
};

/**
 * Describes actions in a few words, such as "tag refund, resolve". Says what no longer exists, and writes "…" for names
 * that have not loaded.
 */
export function describeActions(
  { tagIds = [], assign, snoozeMinutes, resolve }: ReplyActions,
  { tags, members, teams }: ActionNames,
): string {
  const nameIn = (list: readonly Named[] | undefined, id: string, deleted: string) =>
    list ? (list.find((one) => one.id === id)?.name ?? deleted) : "…";
  const parts = tagIds.map((id) => `tag ${nameIn(tags, id, "(deleted tag)")}`);
  const names = [];
  if (assign?.userId) {
    const named = members?.map(({ id, name, email }) => ({ id, name: name || email }));
    names.push(nameIn(named, assign.userId, "(former member)"));
  }
  if (assign?.teamId) names.push(nameIn(teams, assign.teamId, "(deleted team)"));
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
