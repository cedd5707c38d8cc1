import { maxSnoozeMinutes } from "@foyer/contract";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@foyer/contract/rules/time";
import { AppError } from "../../errors.ts";

const units = new Map([
  ...["m", "min", "mins", "minute", "minutes"].map((unit) => [unit, MINUTE_MS] as const),
  ...["h", "hr", "hrs", "hour", "hours"].map((unit) => [unit, HOUR_MS] as const),
  ...["d", "day", "days"].map((unit) => [unit, DAY_MS] as const),
  ...["w", "wk", "week", "weeks"].map((unit) => [unit, 7 * DAY_MS] as const),
]);

/** The duration after `/snooze`, such as `30m`, `2h`, `3d` or `1w`, in milliseconds. @throws 400 */
export function parseSnooze(argument: string, prefix: string): number {
  const [, amount = "", unit = ""] = /^(\d{1,6})\s*([a-z]+)$/i.exec(argument.trim()) ?? [];
  const ms = Number(amount) * (units.get(unit.toLowerCase()) ?? 0);
  if (ms > maxSnoozeMinutes * MINUTE_MS) {
    throw new AppError(
      "VALIDATION_ERROR",
      `a conversation can be snoozed for a year at most, as in ${prefix}snooze 52w.`,
    );
  }
  if (ms > 0) return ms;
  const examples = ["30m", "2h", "3d"].map((example) => `${prefix}snooze ${example}`);
  throw new AppError("VALIDATION_ERROR", `write for how long, such as ${examples.join(", ")} or ${prefix}snooze 1w.`);
}

/** A member or a team. Teams have no email address. */
export type Assignee = { id: string; kind: "member" | "team"; name: string; email: string | null };

/** The maximum number of names that the answer to an ambiguous name lists. */
const MAX_LISTED = 5;

/**
 * The member or team after `/assign`, in any letter case: by the email address or the whole name, or else by the part
 * of the address before the `@`, or else by one word of a member's name.
 * @throws 400 when nothing or several match
 */
export function findAssignee(all: readonly Assignee[], argument: string, prefix: string): Assignee {
  const asked = fold(argument).replace(/^@\s*/, "");
  if (asked === "") {
    throw new AppError("VALIDATION_ERROR", `write the name of a member or a team, such as ${prefix}assign Ada.`);
  }
  const found = waysToName
    .map((isNamed) => all.filter((assignee) => isNamed(assignee, asked)))
    .find((matches) => matches.length > 0);
  const [assignee, ...others] = found ?? [];
  if (!found || !assignee) {
    throw new AppError(
      "VALIDATION_ERROR",
      `no member or team of the organization has this name. Write the whole name or the email address after ${prefix}assign.`,
    );
  }
  if (others.length === 0) return assignee;
  const listed = found.slice(0, MAX_LISTED).map((one) => describe(one, found));
  const more = found.length > MAX_LISTED ? ", …" : "";
  throw new AppError(
    "VALIDATION_ERROR",
    `several have this name: ${listed.join(", ")}${more}. Write the whole name, or the email address of a member.`,
  );
}

const waysToName: ReadonlyArray<(assignee: Assignee, asked: string) => boolean> = [
  ({ name, email }, asked) => asked === fold(name) || (email !== null && asked === fold(email)),
  ({ email }, asked) => email !== null && asked === fold(email.split("@")[0] ?? ""),
  ({ kind, name }, asked) => kind === "member" && fold(name).split(" ").includes(asked),
];

/** Only members whose name others share as well are described by their email address. */
function describe({ id, kind, name, email }: Assignee, found: readonly Assignee[]): string {
  if (kind === "team") return `${name} (team)`;
  const isShared = found.some((other) => other.id !== id && other.kind === kind && fold(other.name) === fold(name));
  return isShared || name === "" ? `${name} (${email})`.trim() : name;
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim();
}
