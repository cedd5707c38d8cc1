import { DAY_MS } from "@foyer/contract/rules/time";
import { LRUCache } from "lru-cache";
import type { AgentRow } from "../db/tables.ts";
import { AppError } from "../errors.ts";

/** An origin that an agent recently rejected. `at` is the last time, in milliseconds since 1970. */
type RefusedOrigin = { origin: string; times: number; at: number };

const KEPT_MS = DAY_MS;
/** The maximum number of agents whose rejected origins are remembered, because anyone can send any origin. */
const MAX_AGENTS = 1_000;
const MAX_ORIGINS = 20;
const MAX_CHARACTERS = 200;

/** Checks which origins may use an agent, and remembers rejected ones for the owner, in this process only. */
export function createOriginCheck(now: () => number = Date.now) {
  const originsByAgent = new LRUCache<string, LRUCache<string, RefusedOrigin>>({ max: MAX_AGENTS });

  function note(agentId: string, origin: string): void {
    const agentOrigins = originsByAgent.get(agentId) ?? new LRUCache({ max: MAX_ORIGINS });
    originsByAgent.set(agentId, agentOrigins);
    const before = agentOrigins.get(origin);
    const isRecent = before !== undefined && now() - before.at < KEPT_MS;
    agentOrigins.set(origin, { origin, times: isRecent ? before.times + 1 : 1, at: now() });
  }

  return {
    /**
     * @throws 403 when the agent does not allow the page's origin. A request without `Origin` is not a cross-origin
     * page.
     */
    checkOrigin(agent: Pick<AgentRow, "id" | "allowedOrigins">, origin: string | undefined, ownOrigin: string): void {
      if (!origin || isAllowed(agent, origin, ownOrigin)) return;
      note(agent.id, origin.slice(0, MAX_CHARACTERS));
      throw new AppError(
        "FORBIDDEN",
        `This agent is not allowed on ${origin}. Add the origin to the agent's allowed origins.`,
      );
    },
    /** The origins that the agent rejected during the last day, newest first. */
    refusedOrigins(agentId: string): RefusedOrigin[] {
      const all = [...(originsByAgent.get(agentId)?.values() ?? [])];
      return all.filter(({ at }) => now() - at < KEPT_MS).sort((a, b) => b.at - a.at);
    },
  };
}

/** Whether pages on this origin may use the agent. An empty list allows every origin. */
export function isAllowed(
  { allowedOrigins }: Pick<AgentRow, "allowedOrigins">,
  origin: string,
  ownOrigin: string,
): boolean {
  return allowedOrigins === "[]" || origin === ownOrigin || includesOrigin(allowedOrigins, origin);
}

/** Whether the stored list contains this origin. An empty list contains none. */
function includesOrigin(allowedOrigins: string, origin: string): boolean {
  const allowed: string[] = JSON.parse(allowedOrigins);
  return allowed.includes(origin);
}
