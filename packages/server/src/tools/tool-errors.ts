import type { ToolFailure } from "@foyer/contract";
import type { AgentService } from "../agents/service.ts";
import { isMissingReference } from "../db/database-errors.ts";
import type { ToolErrorRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { createToolErrorStore } from "./tool-error-store.ts";

const MAX_CHARACTERS = 500;
/**
 * How long a repeated error is not written again, in milliseconds, because every visitor's call of a broken tool fails.
 */
const AGAIN_AFTER_MS = 60_000;

/** The latest error, unless a call has succeeded since; null for none. */
export type StandingError = Pick<ToolErrorRow, "at" | "message"> | null;

/**
 * The latest error of each tool in chats, and whether the tool works again. A call with the same outcome as the
 * previous one writes nothing.
 */
export function createToolErrors({ db, log }: Pick<Deps, "db" | "log">) {
  const store = createToolErrorStore(db);

  async function write(
    toolId: string,
    { standing, problem, now }: { standing: StandingError; problem: string | null; now: number },
  ): Promise<void> {
    if (problem === null) {
      if (standing) await store.recover(toolId, now);
      return;
    }
    const message = problem.slice(0, MAX_CHARACTERS).toWellFormed().replaceAll("\0", "");
    if (standing?.message === message && now - standing.at < AGAIN_AFTER_MS) return;
    await store.put({ toolId, at: now, message, recoveredAt: null });
  }

  return {
    /**
     * Records the outcome of a call (`problem` is null on success). Errors are logged here, because they must never
     * disturb the chat.
     */
    async note(toolId: string, standing: StandingError, problem: string | null): Promise<void> {
      try {
        await write(toolId, { standing, problem, now: Date.now() });
      } catch (error) {
        // If the tool was deleted, there is nothing to record.
        if (!isMissingReference(error)) log.warn({ err: error, toolId }, "could not record a tool error");
      }
    },
  };
}

/** The errors, keyed by tool id. */
export function createToolErrorList({ db }: Pick<Deps, "db">, agents: Pick<AgentService, "get">) {
  const store = createToolErrorStore(db);
  return async (organizationId: string, agentId: string): Promise<Record<string, ToolFailure>> => {
    await agents.get(organizationId, agentId);
    const rows = await store.list(organizationId, agentId);
    return Object.fromEntries(
      rows.map(({ toolId, at, message, recoveredAt }) => [
        toolId,
        { at: iso(at), message, recoveredAt: recoveredAt === null ? null : iso(recoveredAt) },
      ]),
    );
  };
}

const iso = (at: number) => new Date(at).toISOString();
