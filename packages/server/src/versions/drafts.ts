import type { AgentContent, VersionAuthor } from "@foyer/contract";
import { compareContents } from "@foyer/contract/rules/compare-contents";
import type { Transaction } from "kysely";
import { withDraft } from "../agents/draft-columns.ts";
import type { Drafts, Edited, Editor } from "../agents/editor.ts";
import { inDraft } from "../db/draft-tables.ts";
import { lockRow } from "../db/lock-row.ts";
import type { LiveVersionColumns } from "../db/tables/versions.ts";
import type { AgentRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import { AppError, notFound } from "../errors.ts";
import { matchesEtag } from "../http/etag.ts";
import { readSnapshot, serialize } from "./content.ts";
import { deleteDraftRows, replaceRows } from "./replace-rows.ts";

/** Changes of one person within this time become one version, in milliseconds. */
const MERGE_MS = 600_000;
/** The number of an agent's newest versions that are kept. */
const MAX_VERSIONS = 500;

/** @param now a clock in milliseconds */
export function createDrafts({ db }: Pick<Deps, "db">, now: () => number = Date.now): Drafts {
  return {
    edit: (edited, change) => inTransaction(db, (trx) => editIn(trx, edited, change)),
    editIn,
    async publish({ editor, note = null, ...place }) {
      return inTransaction(db, async (trx) => {
        const agent = await open(trx, { ...place, editor });
        await endRollout(trx, agent);
        const recorded = { by: editor.by, note, at: now() };
        const live = agent.publishing === "manual" ? await publishDraft(trx, agent, recorded) : agent;
        return { version: live.liveVersion ?? 0, isNew: live.liveVersion !== agent.liveVersion };
      });
    },
    async discard(edited) {
      await inTransaction(db, async (trx) => {
        const agent = await open(trx, edited);
        if (agent.publishing === "manual") await beginDraft(trx, agent);
      });
    },
    begin: (trx, agent, by) => record(trx, agent, { by, note: null, at: now() }),
    async beginLate(agent) {
      await inTransaction(db, (trx) => lockAgent(trx, agent));
    },
  };

  async function editIn<T>(
    trx: Transaction<Tables>,
    { editor, publishes = false, note = null, ...place }: Edited,
    change: (trx: Transaction<Tables>, live: Transaction<Tables>) => Promise<T>,
  ): Promise<T> {
    const before = await open(trx, { ...place, editor });
    if (publishes) await endRollout(trx, before);
    const result = await change(before.publishing === "manual" ? inDraft(trx) : trx, trx);
    const after = await readAgent(trx, place.agentId);
    // The change may have been the deletion of the agent.
    if (after) await settle(trx, { before, after }, { publishes, recorded: { by: editor.by, note, at: now() } });
    return result;
  }

  /** Locks the agent for an edit. @throws 412 when it is not in the state that the editor has seen */
  async function open(trx: Transaction<Tables>, { organizationId, agentId, editor }: Opened): Promise<AgentRow> {
    const agent = await lockAgent(trx, { organizationId, id: agentId });
    checkMatch(editor.ifMatch, agent.draftHash ?? agent.liveHash);
    return agent;
  }

  /** Locks the agent, so that its changes run one after another. An agent without a version gets its first one. */
  async function lockAgent(
    trx: Transaction<Tables>,
    { organizationId, id }: Pick<AgentRow, "organizationId" | "id">,
  ): Promise<AgentRow> {
    await lockRow(trx, "agents", id);
    const agent = await readAgent(trx, id);
    if (agent?.organizationId !== organizationId) throw notFound("Agent");
    if (agent.liveHash !== null) return agent;
    return { ...agent, ...(await record(trx, agent, { by: null, note: null, at: now() })) };
  }
}

type Opened = { organizationId: string; agentId: string; editor: Editor };
type Recorded = { by: VersionAuthor | null; note: string | null; at: number };

/** Records what follows from a change: a version of what is live, or the hash of the draft. */
async function settle(
  trx: Transaction<Tables>,
  { before, after }: { before: AgentRow; after: AgentRow },
  { publishes, recorded }: { publishes: boolean; recorded: Recorded },
): Promise<void> {
  const isManual = after.publishing === "manual";
  if (before.publishing === "immediate") {
    const live = await record(trx, after, recorded);
    if (isManual) await beginDraft(trx, { ...after, ...live });
    return;
  }
  if (publishes || !isManual) {
    await publishDraft(trx, after, recorded);
    if (!isManual) await endDraft(trx, after);
    return;
  }
  const { content } = await readSnapshot(inDraft(trx), withDraft(after));
  await trx
    .updateTable("agents")
    .set({ draftHash: serialize(content).hash })
    .where("id", "=", after.id)
    .execute();
}

/** Makes the draft equal to what is live. */
async function beginDraft(trx: Transaction<Tables>, { id, liveHash }: AgentRow): Promise<void> {
  await replaceRows({ from: trx, to: inDraft(trx) }, id);
  await trx.updateTable("agents").set({ draft: "{}", draftHash: liveHash }).where("id", "=", id).execute();
}

async function publishDraft(
  trx: Transaction<Tables>,
  agent: AgentRow,
  recorded: Recorded,
): Promise<LiveVersionColumns> {
  const columns = JSON.parse(agent.draft) as Partial<AgentRow>;
  await trx
    .updateTable("agents")
    .set({ ...columns, draft: "{}" })
    .where("id", "=", agent.id)
    .execute();
  await replaceRows({ from: inDraft(trx), to: trx }, agent.id);
  const live = await record(trx, withDraft(agent), { ...recorded, mayMerge: false });
  await trx.updateTable("agents").set({ draftHash: live.liveHash }).where("id", "=", agent.id).execute();
  return live;
}

/** Everybody gets a version that is published, also if it equals the live one. */
async function endRollout(trx: Transaction<Tables>, { id, rollout }: AgentRow): Promise<void> {
  if (rollout === null) return;
  await trx.updateTable("agents").set({ rollout: null }).where("id", "=", id).execute();
}

async function endDraft(trx: Transaction<Tables>, { id }: AgentRow): Promise<void> {
  await deleteDraftRows(trx, id);
  await trx.updateTable("agents").set({ draft: "{}", draftHash: null }).where("id", "=", id).execute();
}

function readAgent(trx: Transaction<Tables>, id: string): Promise<AgentRow | undefined> {
  return trx.selectFrom("agents").selectAll().where("id", "=", id).where("deletedAt", "is", null).executeTakeFirst();
}

/** @throws 412 with the current hash, which is null for an agent that does not exist */
export function checkMatch(ifMatch: string | undefined, hash: string | null): void {
  if (isMatch(ifMatch, hash)) return;
  throw new AppError(
    "PRECONDITION_FAILED",
    "The agent has changed since you read it. Read it again, and repeat your change with the new ETag.",
    hash === null ? {} : { etag: toEtag(hash) },
  );
}

/** The `ETag` of an agent's draft. */
export function toEtag(hash: string | null): string {
  return `"${hash}"`;
}

/** Whether an `If-Match`, or none, allows a change of a draft with this hash. */
export function isMatch(ifMatch: string | undefined, hash: string | null): boolean {
  return ifMatch === undefined || matchesEtag(ifMatch, toEtag(hash));
}

/**
 * Makes the state of the agent its live version. Changes of one person that no reply has used yet become one version.
 * The agent must be locked.
 */
async function record(
  trx: Transaction<Tables>,
  agent: AgentRow,
  { by, note, at, mayMerge = true }: Recorded & { mayMerge?: boolean },
): Promise<LiveVersionColumns> {
  const { content, ids } = await readSnapshot(trx, agent);
  const { text, hash } = serialize(content);
  if (hash === agent.liveHash) return agent;
  const createdBy = by === null ? null : JSON.stringify(by);
  const isMerged = mayMerge && note === null && (await canMerge(trx, agent, { createdBy, at, content }));
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
  await trx
    .updateTable("agents")
    .set({ ...live, rollout: null })
    .where("id", "=", agent.id)
    .execute();
  return live;
}

/**
 * Whether the live version may still change: the same person made it a moment ago, no reply has used it, and the change
 * is of settings that it has not changed itself. Otherwise, the state between the two saves could not be restored.
 */
async function canMerge(
  trx: Transaction<Tables>,
  agent: AgentRow,
  { createdBy, at, content }: { createdBy: string | null; at: number; content: AgentContent },
): Promise<boolean> {
  if (agent.liveVersion === null || agent.liveIsUsed === 1 || createdBy === null) return false;
  const [live, before] = await trx
    .selectFrom("agentVersions")
    .select(["createdBy", "createdAt", "note", "content"])
    .where("agentId", "=", agent.id)
    .where("version", ">=", agent.liveVersion - 1)
    .orderBy("version", "desc")
    .execute();
  if (!live || live.note !== null || live.createdBy !== createdBy) return false;
  if (at - live.createdAt >= MERGE_MS) return false;
  const stored: AgentContent = JSON.parse(live.content);
  const later = compareContents(stored, content);
  // The first version has nothing before it: what is lost is what somebody has written or created.
  if (!before) return later.every(({ from }) => isDefault(from));
  const earlier = compareContents(JSON.parse(before.content), stored);
  return !later.some(({ path }) => earlier.some((other) => isWithin(path, other.path) || isWithin(other.path, path)));
}

/** Whether a path is the other one, or a part of it: `tools.stock.description` is a part of `tools.stock`. */
const isWithin = (path: string, other: string) => path === other || path.startsWith(`${other}.`);

/** Whether a value may be the one of a new agent: no text, no tool, and no list with entries. */
function isDefault(value: unknown): boolean {
  if (Array.isArray(value) || typeof value === "string") return value.length === 0;
  return typeof value !== "object" || value === null;
}
