import type { Foyer } from "../foyer-process.ts";
import type { Tenant } from "./tenant.ts";

/** The two organizations, or visitors of two addresses. */
type Parties = { foyer: Foyer; quiet: Tenant; greedy: Tenant };

/** A resource that organizations or addresses share. */
export type Share = {
  /** its name in docs/decisions/0071-shares.md */
  resource: string;
  /** the label of its metrics, if it has any */
  pool?: string;
  /** the number of slots that the greedy one gets at most. The measurement begins when it holds them. */
  share?: number;
  env?: Record<string, string>;
  /** a provider's stand-in */
  needsModel?: boolean;
  probes?: number;
  prepare(parties: Parties): Promise<{
    /** What the quiet one does, which is timed. */
    probe(round: number): Promise<unknown>;
    /** Takes all that the greedy one can until the signal is aborted. It does not have to return before. */
    attack(signal: AbortSignal): Promise<unknown>;
  }>;
};

/** Addresses of two visitors, as a trusted proxy reports them. */
export const greedyAddress = { "x-forwarded-for": "198.51.100.7" };
export const quietAddress = { "x-forwarded-for": "203.0.113.9" };
