import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import { sql, type Transaction } from "kysely";
import type { AgentTestOutcomeRow, AgentTestRunRow } from "../../db/tables/evaluations.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { createLeasedQueue, LeaseLostError } from "../../jobs/leased-queue.ts";
import { deleteOldJobs, hasFreeSlot } from "../job-slots.ts";

type OfAgent = Pick<AgentTestRunRow, "organizationId" | "agentId">;
type Place = OfAgent & Pick<AgentTestRunRow, "id">;

/** After a crash, another process continues the run when the lease expires. */
const LEASE_MS = 30_000;
/** The number of rows that one statement inserts. */
const ROWS = 500;

/** All but the frozen agent, which can be large. */
const summaryColumns = [
  "id",
  "organizationId",
  "agentId",
  "status",
  "problem",
  "version",
  "repeat",
  "isAwaited",
  "createdAt",
  "finishedAt",
] as const;
export type TestRunSummaryRow = Pick<AgentTestRunRow, (typeof summaryColumns)[number]>;

export type TestRunStore = ReturnType<typeof createTestRunStore>;

export function createTestRunStore({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  const queue = createLeasedQueue({ db, databaseKind }, { table: "agentTestRuns", key: ["id"], leaseMs: LEASE_MS });
  const owned = ({ organizationId, agentId }: OfAgent) =>
    db.selectFrom("agentTestRuns").where("organizationId", "=", organizationId).where("agentId", "=", agentId);
  const changeOwned = ({ id, organizationId, agentId }: Place) =>
    db
      .updateTable("agentTestRuns")
      .where("id", "=", id)
      .where("organizationId", "=", organizationId)
      .where("agentId", "=", agentId);
  const held = (trx: Transaction<Tables>, { id, fence }: AgentTestRunRow) =>
    trx.updateTable("agentTestRuns").where("id", "=", id).where("fence", "=", fence);

  return {
    queue,
    async list(agent: OfAgent, { limit, offset }: { limit: number; offset: number }): Promise<TestRunSummaryRow[]> {
      return owned(agent).select(summaryColumns).orderBy("id", "desc").limit(limit).offset(offset).execute();
    },
    async count(agent: OfAgent): Promise<number> {
      const { n } = await owned(agent)
        .select((x) => x.fn.countAll<number>().as("n"))
        .executeTakeFirstOrThrow();
      return Number(n);
    },
    async get({ id, ...agent }: Place): Promise<TestRunSummaryRow | undefined> {
      return owned(agent).select(summaryColumns).where("id", "=", id).executeTakeFirst();
    },
    /** The newest run of a content that has begun after this time. */
    async newestOf(agent: OfAgent, { hash, since }: { hash: string; since: number }) {
      return owned(agent)
        .select(summaryColumns)
        .where("hash", "=", hash)
        .where("createdAt", ">", since)
        .orderBy("id", "desc")
        .executeTakeFirst();
    },
    /** @returns false when as many of the organization's runs wait or run as may */
    async insert(row: AgentTestRunRow, testIds: readonly string[]): Promise<boolean> {
      const { organizationId, agentId, id: runId } = row;
      return inTransaction(db, async (trx) => {
        if (!(await hasFreeSlot(trx, "agentTestRuns", { organizationId, max: agentTestLimits.running }))) return false;
        await trx.insertInto("agentTestRuns").values(row).execute();
        const rows = testIds.map((testId, position) => ({ runId, position, testId, failures: null }));
        for (let start = 0; start < rows.length; start += ROWS) {
          await trx
            .insertInto("agentTestOutcomes")
            .values(rows.slice(start, start + ROWS))
            .execute();
        }
        await deleteOldJobs(trx, "agentTestRuns", { agentId, kept: agentTestLimits.keptRuns });
        return true;
      });
    },
    /** Every time that a test of the run has run or will run, in order. */
    async outcomes({ id }: Pick<AgentTestRunRow, "id">) {
      return db
        .selectFrom("agentTestOutcomes as outcome")
        .innerJoin("agentTests", "agentTests.id", "outcome.testId")
        .select(["outcome.position", "outcome.testId", "outcome.failures", "agentTests.name"])
        .where("outcome.runId", "=", id)
        .orderBy("outcome.position")
        .execute();
    },
    async save(job: AgentTestRunRow, { position, failures }: Pick<AgentTestOutcomeRow, "position" | "failures">) {
      await inTransaction(db, async (trx) => {
        const isHeld = await held(trx, job).set({ status: "running" }).executeTakeFirst();
        if (isHeld.numUpdatedRows === 0n) throw new LeaseLostError();
        await trx
          .updateTable("agentTestOutcomes")
          .set({ failures })
          .where("runId", "=", job.id)
          .where("position", "=", position)
          .execute();
      });
    },
    async end(job: AgentTestRunRow, ending: Pick<AgentTestRunRow, "status" | "problem">): Promise<void> {
      await inTransaction(db, (trx) =>
        held(trx, job)
          .set({ ...ending, dueAt: null, finishedAt: Date.now() })
          .execute(),
      );
    },
    /** Ends a run from outside: its process loses the lease. */
    async stop(place: Place, problem: string): Promise<void> {
      await changeOwned(place)
        .set({ status: "stopped", problem, dueAt: null, finishedAt: Date.now(), fence: sql<number>`fence + 1` })
        .where("status", "=", "running")
        .execute();
    },
    async setAwaited(place: Place, isAwaited: boolean): Promise<void> {
      await changeOwned(place)
        .set({ isAwaited: isAwaited ? 1 : 0 })
        .execute();
    },
  };
}
