import type { UnansweredQuery } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { DAY_MS } from "@foyer/contract/rules/time";

/** The search parameters of the unanswered questions. Pages are counted from 1. */
export type UnansweredSearch = { reason?: string; period?: string; page?: number };

export const UNANSWERED_PAGE_SIZE = 20;
const reasons = ["nothing_found", "not_cited", "rated_down"] as const;

/** The days of each period. The first is the default. */
export const periods = [
  { value: "30", label: "Last 30 days" },
  { value: "7", label: "Last 7 days" },
  { value: "90", label: "Last 90 days" },
  { value: "all", label: "All time" },
] as const;

/** The list request for the search parameters. The period starts at a UTC day, so that repeated requests are cached. */
export function createUnansweredQuery(
  agentId: string,
  { reason, period, page = 1 }: UnansweredSearch,
  now = Date.now(),
): UnansweredQuery {
  const chosen = periods.find(({ value }) => value === period)?.value ?? periods[0].value;
  return omitUndefined({
    agentId,
    limit: UNANSWERED_PAGE_SIZE,
    offset: (page - 1) * UNANSWERED_PAGE_SIZE,
    reason: reasons.find((name) => name === reason),
    from: chosen === "all" ? undefined : new Date(now - Number(chosen) * DAY_MS).toISOString().slice(0, 10),
  });
}
