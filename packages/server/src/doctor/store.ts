import { DAY_MS } from "@foyer/contract/rules/time";
import { sql } from "kysely";
import { databaseNow } from "../db/database-clock.ts";
import { agentExists } from "../db/deleted-agents.ts";
import type { Deps } from "../deps.ts";
import { calculateLeaseMs } from "../outbox/delivery-lease.ts";

/** The maximum that is counted, because a more exact number would not help. */
const MAX_FAILED = 1_000;
/** The number of running deliveries at which a host counts as busy. Waiting deliveries to a busy host are not stuck. */
const BUSY = 8;

export type DoctorStore = ReturnType<typeof createDoctorStore>;

/** The doctor's own database reads. */
export function createDoctorStore({
  db,
  reads,
  databaseKind,
  config,
}: Pick<Deps, "db" | "reads" | "databaseKind" | "config">) {
  const now = databaseNow(databaseKind);
  return {
    /** True for the organization that the server was set up with. */
    async isFirst(organizationId: string): Promise<boolean> {
      const first = await db.selectFrom("organizations").select("id").orderBy("id").limit(1).executeTakeFirst();
      return first?.id === organizationId;
    },
    /**
     * How long the oldest due delivery has been waiting, in milliseconds; 0 when there is none. Deliveries that wait
     * for a busy host do not count.
     */
    async measureLongestDelay(): Promise<number> {
      const busy = db
        .selectFrom("deliveries")
        .select("host")
        .where(sql.ref("state"), "=", sql.lit("pending"))
        .where("dueAt", ">", now)
        .where("dueAt", "<=", sql<number>`${now} + cast(${calculateLeaseMs(config)} as bigint)`)
        .groupBy("host")
        .having(sql`count(*)`, ">=", BUSY);
      const due = db
        .selectFrom("deliveries")
        .select(sql<number>`${now} - "dueAt"`.as("late"))
        .where(sql.ref("state"), "=", sql.lit("pending"))
        .where("host", "not in", busy)
        .orderBy("dueAt")
        .limit(1);
      return Math.max(0, Number((await due.executeTakeFirst())?.late ?? 0));
    },
    /** The number of the organization's submissions that failed during the last day, up to 1,000. */
    async countRecentFailures(organizationId: string): Promise<number> {
      const failed = db
        .selectFrom("submissions")
        .select("id")
        .where("organizationId", "=", organizationId)
        .where(agentExists("submissions"))
        .where("status", "in", ["webhook_failed", "client_failed", "failed"])
        .where("updatedAt", ">=", Date.now() - DAY_MS)
        .limit(MAX_FAILED);
      return (await reads.run(failed, { lane: "list", owner: organizationId })).length;
    },
    /** The number of the organization's deliveries that failed so far and will be attempted again, up to 1,000. */
    async countRetried(organizationId: string): Promise<number> {
      const retried = db
        .selectFrom("deliveries")
        .select("id")
        .where("organizationId", "=", organizationId)
        .where(sql.ref("state"), "=", sql.lit("pending"))
        .whereRef("attempts", ">", "attemptsBefore")
        .limit(MAX_FAILED);
      return (await reads.run(retried, { lane: "list", owner: organizationId })).length;
    },
    async agents(organizationId: string) {
      return db
        .selectFrom("agents")
        .select(["id", "name", "model", "identitySecret", "handoff"])
        .where("organizationId", "=", organizationId)
        .where("deletedAt", "is", null)
        .orderBy("id")
        .execute();
    },
    /** The median time of five empty queries, in milliseconds. */
    async pingMs(): Promise<number> {
      const times: number[] = [];
      for (let turn = 0; turn < 5; turn++) {
        const startedAt = performance.now();
        await sql`select 1`.execute(db);
        times.push(performance.now() - startedAt);
      }
      return times.sort((a, b) => a - b)[2] ?? 0;
    },
  };
}
