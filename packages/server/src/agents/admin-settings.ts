import { isDeepStrictEqual } from "node:util";
import type { Agent, AgentChanges } from "@foyer/contract";
import { adminAgentSettings } from "@foyer/contract/rules/roles";
import { AppError } from "../errors.ts";

/**
 * Checks what a member without the admin role changes. Settings that are sent with their current values are no change.
 * @throws 403 for a change of a setting that decides about safety or money
 */
export function checkMemberChanges(agent: Agent, changes: AgentChanges): void {
  const changed = adminAgentSettings.filter(
    (name) => changes[name] !== undefined && differs(agent[name], changes[name]),
  );
  if (changed.length === 0) return;
  throw new AppError(
    "FORBIDDEN",
    `You need the admin role to change ${changed.map((name) => `\`${name}\``).join(", ")}.`,
  );
}

/** Whether a value differs from the current one. `null` restores the default, which allows or keeps everything. */
function differs(current: unknown, sent: unknown): boolean {
  if (sent === null) return !(current === null || current === false || isEmpty(current));
  if (!isPlainObject(sent) || !isPlainObject(current)) return !isDeepStrictEqual(current, sent);
  return Object.entries(sent).some(([name, value]) => differs(current[name] ?? null, value));
}

const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
