import type { ReplayVerdict } from "@foyer/contract";
import { type ReplayOutcome, replayLimits } from "@foyer/contract/rules/evaluations";
import { sql, type Transaction } from "kysely";
import type { ReplayRow, ReplayTurnRow } from "../../db/tables/evaluations.ts";
import type { ReplyStepRow } from "../../db/tables/models.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { createLeasedQueue, LeaseLostError } from "../../jobs/leased-queue.ts";
import { deleteOldJobs, hasFreeSlot } from "../job-slots.ts";

type OfAgent = Pick<ReplayRow, "organizationId" | "agentId">;
type Place = OfAgent & Pick<ReplayRow, "id">;
type Page = { limit: number; offset: number };
export type DoneTurn = Omit<ReplayTurnRow, "replayId" | "conversationId" | "messageId" | "verdict">;

/** After a crash, another process continues the replay when the lease expires. */
const LEASE_MS = 30_000;
/** The number of rows that one statement inserts or reads. */
const ROWS = 500;

const summaryColumns = [
  "id",
  "organizationId",
  "agentId",
  "status",
  "problem",
  "fromVersion",
  "toVersion",
  "maxCost",
  "estimate",
  "cost",
  "createdAt",
  "finishedAt",
] as const;
export type ReplaySummaryRow = Pick<ReplayRow, (typeof summaryColumns)[number]>;

export type ReplayStore = ReturnType<typeof createReplayStore>;

export function createReplayStore({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  const queue = createLeasedQueue({ db, databaseKind }, { table: "replays", key: ["id"], leaseMs: LEASE_MS });
  const owned = ({ organizationId, agentId }: OfAgent) =>
    db.selectFrom("replays").where("organizationId", "=", organizationId).where("agentId", "=", agentId);
  const turnsOf = ({ id }: Pick<ReplayRow, "id">) =>
    db.selectFrom("replayTurns").where("replayId", "=", id).where("outcome", "is not", null);
  const held = (trx: Transaction<Tables>, { id, fence }: ReplayRow) =>
    trx.updateTable("replays").where("id", "=", id).where("fence", "=", fence);

  return {
    queue,
    async list(agent: OfAgent, { limit, offset }: Page): Promise<ReplaySummaryRow[]> {
      return owned(agent).select(summaryColumns).orderBy("id", "desc").limit(limit).offset(offset).execute();
    },
    async count(agent: OfAgent): Promise<number> {
      return Number(
        (
          await owned(agent)
            .select((x) => x.fn.countAll<number>().as("n"))
            .executeTakeFirstOrThrow()
        ).n,
      );
    },
    async get({ id, ...agent }: Place): Promise<ReplaySummaryRow | undefined> {
      return owned(agent).select(summaryColumns).where("id", "=", id).executeTakeFirst();
    },
    /**
     * Stores a replay with the turns to do, and deletes the oldest ones of the agent.
     * @returns false when as many of the organization's replays run as may
     */
    async insert(row: ReplayRow, turns: ReadonlyArray<Pick<ReplayTurnRow, "conversationId" | "messageId">>) {
      return inTransaction(db, async (trx) => {
        const { organizationId, agentId } = row;
        if (!(await hasFreeSlot(trx, "replays", { organizationId, max: replayLimits.running }))) return false;
        await trx.insertInto("replays").values(row).execute();
        const rows = turns.map((turn, position) => ({ ...emptyTurn, ...turn, replayId: row.id, position }));
        for (let start = 0; start < rows.length; start += ROWS) {
          await trx
            .insertInto("replayTurns")
            .values(rows.slice(start, start + ROWS))
            .execute();
        }
        await deleteOldJobs(trx, "replays", { agentId, kept: replayLimits.kept });
        return true;
      });
    },
    async delete({ id, organizationId, agentId }: Place): Promise<boolean> {
      const deleted = await db
        .deleteFrom("replays")
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("agentId", "=", agentId)
        .executeTakeFirst();
      return deleted.numDeletedRows > 0n;
    },
    /** The visitor's messages that recorded replies answered, by the id of the reply. */
    async questions(turns: ReadonlyArray<Pick<ReplayTurnRow, "messageId">>): Promise<Map<string, string>> {
      const questions = new Map<string, string>();
      const ids = turns.map(({ messageId }) => messageId);
      for (let start = 0; start < ids.length; start += ROWS) {
        const rows = await db
          .selectFrom("messages as reply")
          .innerJoin("messages as question", (join) =>
            join
              .onRef("question.conversationId", "=", "reply.conversationId")
              .on("question.position", "=", (x) => x("reply.position", "-", 1)),
          )
          .select(["reply.id", "question.content"])
          .where("reply.id", "in", ids.slice(start, start + ROWS))
          .execute();
        for (const { id, content } of rows) questions.set(id, content);
      }
      return questions;
    },
    /** How many turns have each verdict. */
    async verdicts(replay: Pick<ReplayRow, "id">) {
      return turnsOf(replay)
        .select(["verdict", "modelVerdict", (x) => x.fn.countAll<number>().as("n")])
        .groupBy(["verdict", "modelVerdict"])
        .execute();
    },
    /** The turns that both versions have answered, in order. */
    async turns(
      replay: Pick<ReplayRow, "id">,
      { outcome, limit, offset }: Page & { outcome?: ReplayOutcome },
    ): Promise<ReplayTurnRow[]> {
      return turnsOf(replay)
        .selectAll()
        .$if(outcome !== undefined, (query) => query.where("outcome", "=", outcome ?? null))
        .orderBy("position")
        .limit(limit)
        .offset(offset)
        .execute();
    },
    async sums(replay: Pick<ReplayRow, "id">) {
      return turnsOf(replay)
        .select(["outcome", (x) => x.fn.countAll<number>().as("n")])
        .select((x) => [
          x.fn.sum<number>("baselineDiverged").as("baselineDiverged"),
          x.fn.sum<number>("baselineTokens").as("baselineTokens"),
          x.fn.sum<number>("baselineCost").as("baselineCost"),
          x.fn.sum<number>("baselineMs").as("baselineMs"),
          x.fn.sum<number>("candidateTokens").as("candidateTokens"),
          x.fn.sum<number>("candidateCost").as("candidateCost"),
          x.fn.sum<number>("candidateMs").as("candidateMs"),
        ])
        .groupBy("outcome")
        .execute();
    },
    async setVerdict(replay: Pick<ReplayRow, "id">, messageId: string, verdict: ReplayVerdict | null) {
      return db
        .updateTable("replayTurns")
        .set({ verdict })
        .where("replayId", "=", replay.id)
        .where("messageId", "=", messageId)
        .where("outcome", "is not", null)
        .returningAll()
        .executeTakeFirst();
    },
    /** The recorded steps of these replies. */
    async steps(messageIds: readonly string[]): Promise<ReplyStepRow[]> {
      const rows: ReplyStepRow[] = [];
      for (let start = 0; start < messageIds.length; start += ROWS) {
        const ids = messageIds.slice(start, start + ROWS);
        rows.push(...(await db.selectFrom("replySteps").selectAll().where("messageId", "in", ids).execute()));
      }
      return rows;
    },
    /** The turns of a running replay, done or not. */
    async plan(replay: Pick<ReplayRow, "id">) {
      const columns = ["position", "conversationId", "messageId", "outcome"] as const;
      return db
        .selectFrom("replayTurns")
        .select(columns)
        .where("replayId", "=", replay.id)
        .orderBy("position")
        .execute();
    },
    /** Counts the calls of a process that has crashed as if they had cost the most that they could. */
    async takeOver(job: ReplayRow): Promise<number> {
      return inTransaction(db, async (trx) => {
        const row = await held(trx, job)
          .set({ cost: sql<number>`cost + "pendingCost"`, pendingCost: 0 })
          .returning("cost")
          .executeTakeFirst();
        if (!row) throw new LeaseLostError();
        return row.cost;
      });
    },
    async addCost(job: ReplayRow, { cost, pending }: { cost: number; pending: number }): Promise<void> {
      const changes = {
        cost: sql<number>`cost + ${cost}`,
        pendingCost: sql<number>`"pendingCost" + ${pending}`,
      };
      await inTransaction(db, (trx) => held(trx, job).set(changes).execute());
    },
    /** Stores a turn, unless its conversation was deleted. With `endsConversation`, the rest of it is not done. */
    async save(job: ReplayRow, turn: DoneTurn, { endsConversation }: { endsConversation: boolean }): Promise<void> {
      await inTransaction(db, async (trx) => {
        const isHeld = await held(trx, job).set({ status: "running" }).executeTakeFirst();
        if (isHeld.numUpdatedRows === 0n) throw new LeaseLostError();
        const saved = await trx
          .updateTable("replayTurns")
          .set(turn)
          .where("replayId", "=", job.id)
          .where("position", "=", turn.position)
          .returning("conversationId")
          .executeTakeFirst();
        if (!saved || !endsConversation) return;
        await trx
          .deleteFrom("replayTurns")
          .where("replayId", "=", job.id)
          .where("conversationId", "=", saved.conversationId)
          .where("outcome", "is", null)
          .execute();
      });
    },
    async end(job: ReplayRow, ending: Pick<ReplayRow, "status" | "problem">): Promise<void> {
      await inTransaction(db, (trx) =>
        held(trx, job)
          .set({ ...ending, dueAt: null, finishedAt: Date.now() })
          .execute(),
      );
    },
  };
}

const emptyTurn = {
  outcome: null,
  baseline: null,
  candidate: null,
  baselineDiverged: 0,
  baselineTokens: 0,
  baselineCost: 0,
  baselineMs: 0,
  candidateTokens: 0,
  candidateCost: 0,
  candidateMs: 0,
  modelVerdict: null,
  verdict: null,
} as const;
