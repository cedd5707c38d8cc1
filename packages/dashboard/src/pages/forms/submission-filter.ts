import type { SubmissionQuery } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { startOfDay } from "../../components/start-of-day.ts";
import { isStatus } from "./submission-labels.ts";

/** The search parameters of the list. Dates are in the user's time zone: `2026-01-31`. */
export type SubmissionSearch = { status?: string; toolId?: string; from?: string; to?: string; page?: number };

export const PAGE_SIZE = 100;

/** The list request for the search parameters, without the page. Invalid parameters are ignored. */
export function toFilter(agentId: string, { status, toolId, from, to }: SubmissionSearch): SubmissionQuery {
  return omitUndefined({
    agentId,
    status: isStatus(status) ? status : undefined,
    toolId: toolId || undefined,
    from: startOfDay(from),
    to: startOfDay(to, 1),
  });
}

export function pageQuery(agentId: string, search: SubmissionSearch): SubmissionQuery {
  return { ...toFilter(agentId, search), limit: PAGE_SIZE, offset: (readPage(search) - 1) * PAGE_SIZE };
}

export function readPage({ page }: SubmissionSearch): number {
  return page !== undefined && Number.isSafeInteger(page) && page > 0 && page < 10_000_000 ? page : 1;
}

/** The URL of the CSV export with the same filter. */
export function createCsvUrl(agentId: string, search: SubmissionSearch): string {
  const query = new URLSearchParams({ format: "csv" });
  for (const [name, value] of Object.entries(toFilter(agentId, search))) query.set(name, String(value));
  return `/form-submissions?${query}`;
}

export function isFiltered({ status, toolId, from, to }: SubmissionSearch): boolean {
  return Boolean(status || toolId || from || to);
}

const latest = new Map<string, SubmissionSearch>();

/** The last filter of an agent's list, for the link back from a submission. */
export function readLastSearch(agentId: string): SubmissionSearch {
  return latest.get(agentId) ?? {};
}

export function rememberSearch(agentId: string, search: SubmissionSearch): void {
  latest.set(agentId, search);
}
