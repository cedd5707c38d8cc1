import type { AgentContent } from "@foyer/contract";
import { imageColumns, imageKinds, toColumns } from "../agents/columns.ts";
import { parseHandoff } from "../agents/handoff.ts";
import { parseRollout } from "../agents/rollout.ts";
import type { AgentRow, ConversationRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { createVersionStore } from "./store.ts";

/** The agent as a reply uses it. `rolloutId` is null when that is the live version. */
export type ChosenVersion = { agent: AgentRow; rolloutId: string | null };

export type Rollouts = ReturnType<typeof createRollouts>;

/** Chooses between the live version of an agent and the one that is rolled out. */
export function createRollouts({ db }: Pick<Deps, "db">, random: () => number = Math.random) {
  const store = createVersionStore(db);

  /** Decides for a new conversation, which keeps the result. @returns the id of the rollout, or null */
  function draw(agent: AgentRow): string | null {
    const rollout = parseRollout(agent);
    return rollout && random() * 100 < rollout.percent ? rollout.id : null;
  }

  return {
    draw,
    /** The version for the next reply of a conversation, or of a new one. `agent` has its live version. */
    async choose(agent: AgentRow, conversation: ConversationRow | null): Promise<ChosenVersion> {
      const rollout = parseRollout(agent);
      const rolloutId = conversation ? conversation.rolloutId : draw(agent);
      if (rollout === null || rolloutId !== rollout.id) return { agent, rolloutId: null };
      const { organizationId, id: agentId } = agent;
      const row = await store.get({ organizationId, agentId }, rollout.version);
      if (!row) return { agent, rolloutId: null };
      const { agent: frozen }: AgentContent = JSON.parse(row.content);
      const version = { liveVersion: row.version, liveHash: row.hash, liveIsUsed: 1 as const };
      return { agent: { ...agent, ...toFrozenColumns(agent, frozen), ...version }, rolloutId };
    },
  };
}

/** The columns of a version. Whom the agent notifies follows the live version, because versions name no user ids. */
export function toFrozenColumns(agent: AgentRow, content: AgentContent["agent"]): Partial<AgentRow> {
  const { images, handoff, name, ...settings } = content;
  const { escalation } = parseHandoff(agent);
  return {
    name,
    ...toColumns({ ...settings, handoff: { ...handoff, escalation } }),
    ...Object.fromEntries(imageKinds.map((kind) => [imageColumns[kind], images[kind]])),
  };
}
