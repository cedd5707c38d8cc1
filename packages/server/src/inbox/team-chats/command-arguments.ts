import { DAY_MS, HOUR_MS, MINUTE_MS } from "@foyer/contract/rules/time";
import { AppError } from "../../errors.ts";

const units: Record<string, number> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };

/** The duration after `/snooze`, such as `30m`, `2h`, `3d` or `1w`, in milliseconds. @throws 400 */
export function parseSnooze(argument: string, prefix: string): number {
  const [, amount = "", unit = ""] = /^(\d{1,4})\s*([mhdw])[a-z]*$/i.exec(argument.trim()) ?? [];
  const ms = Number(amount) * (units[unit.toLowerCase()] ?? 0);
  if (ms > 0) return ms;
  throw new AppError("VALIDATION_ERROR", `write for how long, such as ${prefix}snooze 2h or ${prefix}snooze 3d.`);
}

type Named = { id: string; name: string; email: string };

/**
 * The member after `/assign`: by the whole name, the first name or the part of the email address before the `@`, in any
 * letter case. @throws 400 when no member or several match
 */
export function findNamedMember(members: readonly Named[], argument: string): Named {
  const asked = fold(argument.trim().replace(/^@/, ""));
  const byName = members.filter(({ name, email }) => asked === fold(name) || asked === fold(email.split("@")[0] ?? ""));
  const found = byName.length > 0 ? byName : members.filter(({ name }) => asked === fold(name.split(" ")[0] ?? ""));
  const [member, ...others] = found;
  if (asked === "" || !member) {
    throw new AppError(
      "VALIDATION_ERROR",
      "no member of the organization has this name. Write a name after the command.",
    );
  }
  if (others.length === 0) return member;
  throw new AppError("VALIDATION_ERROR", "several members have this name. Write the whole name.");
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().trim();
}
