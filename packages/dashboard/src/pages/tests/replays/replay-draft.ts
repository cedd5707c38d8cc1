import type { Agent, ReplayCreate } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { FoyerError } from "@foyer/sdk";
import { startOfDay } from "../../../components/start-of-day.ts";
import { type CheckDraft, readCheckDrafts } from "../test-draft.ts";

/** A replay while it is set up. Versions are numbers as text, or `draft`. */
export type ReplayDraft = {
  from: string;
  to: string;
  sample: {
    n: number | null;
    q: string;
    feedback: "" | "up" | "down";
    failed: "" | "true";
    tag: string;
    /** days such as `2026-01-31` */
    since: string;
    until: string;
  };
  compare: boolean;
  checks: CheckDraft[];
  maxCost: number | null;
};

/** Compares the draft with what visitors get, or the newest two versions if there are no drafts. */
export function createDraft({ publishing, liveVersion }: Agent): ReplayDraft {
  const isManual = publishing === "manual";
  return {
    from: String(isManual ? liveVersion : Math.max(1, liveVersion - 1)),
    to: isManual ? "draft" : String(liveVersion),
    sample: { n: 50, q: "", feedback: "", failed: "", tag: "", since: "", until: "" },
    compare: false,
    checks: [],
    maxCost: null,
  };
}

/** @throws FoyerError with the path of each field that is not JSON */
export function toBody({ from, to, sample, compare, checks, maxCost }: ReplayDraft): ReplayCreate {
  const { n, q, feedback, failed, tag, since, until } = sample;
  const filter = omitUndefined({
    q: q.trim() || undefined,
    feedback: feedback || undefined,
    failed: failed === "true" ? true : undefined,
    tag: tag || undefined,
    from: startOfDay(since),
    to: startOfDay(until, 1),
  });
  return {
    from: toVersion(from),
    to: toVersion(to),
    // The server rejects an empty field and says so.
    sample: { n: n ?? 0, filter },
    maxCost,
    checks: readCheckDrafts(checks),
    compare,
  };
}

const toVersion = (version: string) => (version === "draft" ? version : Number(version));

/** A cost in whole cents, so that the field is easy to read. */
export function roundUp(cost: number): number {
  return Math.ceil(cost * 100) / 100;
}

/** An empty field would be a replay without a limit. @throws FoyerError */
export function requireLimit(maxCost: number | null): number {
  if (maxCost !== null) return maxCost;
  const details = [{ path: "maxCost", message: "must be a number" }];
  throw new FoyerError("VALIDATION_ERROR", "Some fields are invalid.", { details });
}
