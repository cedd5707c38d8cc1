import type { VersionAuthor } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Drafts } from "../agents/editor.ts";
import { lockRow } from "../db/lock-row.ts";
import type { LiveVersionColumns } from "../db/tables/versions.ts";
import type { AgentRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { AppError, notFound } from "../errors.ts";
import { readSnapshot, serialize } from "./content.ts";

/** Changes of one person within this time become one version, in milliseconds. */
const MERGE_MS = 600_000;
/** The number of an agent's newest versions that are kept. */
const MAX_VERSIONS = 500;

/** @param now a clock in milliseconds */
export function createDrafts({ db }: Pick<Deps, "db">, now: () => number = Date.now): Drafts {
  return {
    async edit({ organizationId, agentId, editor, note = null }, change) {
      return inTransaction(db, async (trx) => {
        const before = await lockAgent(trx, { organizationId, id: agentId });
        checkMatch(editor.ifMatch, before.liveHash);
        const result = await change(trx);
        const after = await readAgent(trx, agentId);
        // The change may have been the deletion of the agent.
        if (after) await record(trx, after, { by: editor.by, note, at: now() });
        return result;
      });
    },
    begin: (trx, agent, by) => record(trx, agent, { by, note: null, at: now() }),
    async beginLate(agent) {
      await inTransaction(db, (trx) => lockAgent(trx, agent));
    },
  };

  /** Locks the agent, so that its changes run one after another. An agent without a version gets its first one. */
  async function lockAgent(
    trx: Transaction<Tables>,
    { organizationId, id }: Pick<AgentRow, "organizationId" | "id">,
  ): Promise<Pick<AgentRow, "liveHash">> {
    await lockRow(trx, "agents", id);
    const agent = await readAgent(trx, id);
    if (agent?.organizationId !== organizationId) throw notFound("Agent");
    return agent.liveHash === null ? record(trx, agent, { by: null, note: null, at: now() }) : agent;
  }
}

function readAgent(trx: Transaction<Tables>, id: string): Promise<AgentRow | undefined> {
  return trx.selectFrom("agents").selectAll().where("id", "=", id).where("deletedAt", "is", null).executeTakeFirst();
}

/** @throws 412 with the current hash */
function checkMatch(ifMatch: string | undefined, hash: string | null): void {
  if (ifMatch === undefined) return;
  const etag = `"${hash}"`;
  if (ifMatch.split(",").some((tag) => tag.trim() === "*" || tag.trim() === etag)) return;
  throw new AppError(
    "PRECONDITION_FAILED",
    "The agent has changed since you read it. Read it again, and repeat your change with the new ETag.",
    { etag },
  );
}

type Recorded = { by: VersionAuthor | null; note: string | null; at: number };

/**
 * Makes the state of the agent its live version. Changes of one person that no reply has used yet become one version.
 * The agent must be locked.
 */
async function record(
  trx: Transaction<Tables>,
  agent: AgentRow,
  { by, note, at }: Recorded,
): Promise<LiveVersionColumns> {
  const { content, ids } = await readSnapshot(trx, agent);
  const { text, hash } = serialize(content);
  if (hash === agent.liveHash) return agent;
  const createdBy = by === null ? null : JSON.stringify(by);
  const isMerged = note === null && (await canMerge(trx, agent, { createdBy, at }));
  const version = (agent.liveVersion ?? 0) + (isMerged ? 0 : 1);
  const frozen = { hash, content: text, ids: JSON.stringify(ids) };
  if (isMerged) {
    await trx
      .updateTable("agentVersions")
      .set(frozen)
      .where("agentId", "=", agent.id)
      .where("version", "=", version)
      .execute();
  } else {
    const { id: agentId, organizationId } = agent;
    await trx
      .insertInto("agentVersions")
      .values({ ...frozen, agentId, organizationId, version, note, createdAt: at, createdBy })
      .execute();
    await trx
      .deleteFrom("agentVersions")
      .where("agentId", "=", agentId)
      .where("version", "<=", version - MAX_VERSIONS)
      .execute();
  }
  const live = { liveVersion: version, liveHash: hash, liveIsUsed: 0 as const };
  await trx.updateTable("agents").set(live).where("id", "=", agent.id).execute();
  return live;
}

/** Whether the live version may still change: the same person made it a moment ago, and no reply has used it. */
async function canMerge(
  trx: Transaction<Tables>,
  agent: AgentRow,
  { createdBy, at }: { createdBy: string | null; at: number },
): Promise<boolean> {
  if (agent.liveVersion === null || agent.liveIsUsed === 1 || createdBy === null) return false;
  const live = await trx
    .selectFrom("agentVersions")
    .select(["createdBy", "createdAt", "note"])
    .where("agentId", "=", agent.id)
    .where("version", "=", agent.liveVersion)
    .executeTakeFirst();
  return live !== undefined && live.note === null && live.createdBy === createdBy && at - live.createdAt < MERGE_MS;
}
