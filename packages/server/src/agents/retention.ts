import type { Retention } from "@foyer/contract";
import type { Config } from "../config.ts";
import type { AgentRow } from "../db/tables.ts";

/** Trigger events are deleted after this time at the latest. */
const EVENT_DAYS = 90;

/** The retention of agents that have not set their own, in days. */
export function defaultRetention(config: Pick<Config, "retentionDays" | "submissionRetentionDays">): Retention {
  return {
    conversations: config.retentionDays,
    submissions: config.submissionRetentionDays,
    files: null,
    events: EVENT_DAYS,
  };
}

/** The number of days for which each kind of the agent's data is kept; null keeps it indefinitely. */
export function resolveRetention({ retention }: Pick<AgentRow, "retention">, defaults: Retention): Retention {
  const merged: Retention = { ...defaults, ...JSON.parse(retention) };
  return { ...merged, events: merged.events ?? EVENT_DAYS };
}
