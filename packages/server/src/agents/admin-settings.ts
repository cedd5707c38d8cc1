import { isDeepStrictEqual } from "node:util";
import type { Agent, AgentChanges } from "@foyer/contract";
import { adminAgentSettings, isAtLeast, type Role } from "@foyer/contract/rules/roles";
import { AppError } from "../errors.ts";

type AdminSetting = (typeof adminAgentSettings)[number];

/** What a new agent has without these settings, which members may not choose for it either. */
const newAgent: Pick<Agent, AdminSetting> = {
  allowedOrigins: [],
  requireIdentity: false,
  publishRequiresTests: false,
  monthlyTokenBudget: null,
  monthlyCostBudget: null,
  retention: { conversations: null, submissions: null, files: null, events: null },
};

/**
 * Checks what a member without the admin role changes. Settings that are sent with their current values are no change.
 * @throws 403 for a change of a setting that decides about safety or money
 */
export function checkMemberChanges(
  role: Role,
  agent: Pick<Agent, AdminSetting> | "new agent",
  changes: Pick<AgentChanges, AdminSetting>,
): void {
  if (isAtLeast(role, "admin")) return;
  const current = agent === "new agent" ? newAgent : agent;
  const changed = adminAgentSettings.filter(
    (name) => changes[name] !== undefined && differs(current[name], changes[name]),
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
