import { LRUCache } from "lru-cache";
import type { AgentRow } from "../db/tables.ts";
import { AppError } from "../errors.ts";

/** A page's origin that an agent refused lately. `at` is the last time, in milliseconds. */
type RefusedOrigin = { origin: string; times: number; at: number };

const KEPT_MS = 86_400_000;
/** Anybody may send any origin. */
const MAX_AGENTS = 1_000;
const MAX_ORIGINS = 20;
const MAX_CHARACTERS = 200;

/** Which pages may use an agent, and which were refused, for the agents' owners; the latter in this process only. */
export function createOriginCheck(now: () => number = Date.now) {
  const known = new LRUCache<string, LRUCache<string, RefusedOrigin>>({ max: MAX_AGENTS });

  function note(agentId: string, origin: string): void {
    const ofAgent = known.get(agentId) ?? new LRUCache({ max: MAX_ORIGINS });
    known.set(agentId, ofAgent);
    const before = ofAgent.get(origin);
    const isRecent = before !== undefined && now() - before.at < KEPT_MS;
    ofAgent.set(origin, { origin, times: isRecent ? before.times + 1 : 1, at: now() });
  }

  return {
    /** @throws 403 for a browser on a page that the agent does not allow. No `Origin` is no browser on another page. */
    checkOrigin(agent: Pick<AgentRow, "id" | "allowedOrigins">, origin: string | undefined, ownOrigin: string): void {
      if (!origin || isAllowed(agent, origin, ownOrigin)) return;
      note(agent.id, origin.slice(0, MAX_CHARACTERS));
      throw new AppError("FORBIDDEN", `This agent does not answer pages on ${origin}.`);
    },
    /** What the agent refused in the last day, the latest first. */
    refusedOrigins(agentId: string): RefusedOrigin[] {
      const all = [...(known.get(agentId)?.values() ?? [])];
      return all.filter(({ at }) => now() - at < KEPT_MS).sort((a, b) => b.at - a.at);
    },
  };
}

function isAllowed({ allowedOrigins }: Pick<AgentRow, "allowedOrigins">, origin: string, ownOrigin: string): boolean {
  return allowedOrigins === "[]" || origin === ownOrigin || namesOrigin(allowedOrigins, origin);
}

/** Whether the list, as the agent's row holds it, names this origin. An empty list names none. */
export function namesOrigin(allowedOrigins: string, origin: string): boolean {
  const allowed: string[] = JSON.parse(allowedOrigins);
  return allowed.includes(origin);
}
