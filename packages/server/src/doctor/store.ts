import { sql } from "kysely";
import { databaseNow } from "../db/database-clock.ts";
import type { Deps } from "../deps.ts";
import { leaseMs } from "../outbox/delivery-lease.ts";

const DAY_MS = 86_400_000;
/** Nobody needs to know more exactly. */
const MOST_FAILED = 1_000;
/** A host with so many deliveries under way is being sent to, as fast as it takes them. */
const BUSY = 8;

export type DoctorStore = ReturnType<typeof createDoctorStore>;

/** What the doctor reads of the database itself. */
export function createDoctorStore({ db, databaseKind, config }: Pick<Deps, "db" | "databaseKind" | "config">) {
  const now = databaseNow(databaseKind);
  return {
    /** True for the organization that the server was set up with. */
    async isFirst(organizationId: string): Promise<boolean> {
      const first = await db.selectFrom("organizations").select("id").orderBy("id").limit(1).executeTakeFirst();
      return first?.id === organizationId;
    },
    /**
     * How long the oldest delivery that is due has been waiting for somebody to send it, in milliseconds; 0 for none.
     * Those that only wait for their turn at a host that is busy do not count.
     */
    async latestBy(): Promise<number> {
      const busy = db
        .selectFrom("deliveries")
        .select("host")
        .where(sql.ref("state"), "=", sql.lit("pending"))
        .where("dueAt", ">", now)
        .where("dueAt", "<=", sql<number>`${now} + cast(${leaseMs(config)} as bigint)`)
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
    /** How many of the account's submissions have failed in the last day, up to 1,000. */
    async failedLately(organizationId: string): Promise<number> {
      const failed = db
        .selectFrom("submissions")
        .select("id")
        .where("organizationId", "=", organizationId)
        .where("status", "in", ["webhook_failed", "client_failed", "failed"])
        .where("updatedAt", ">=", Date.now() - DAY_MS)
        .limit(MOST_FAILED);
      return (await failed.execute()).length;
    },
    async agents(organizationId: string) {
      return db
        .selectFrom("agents")
        .select(["id", "name", "model", "identitySecret"])
        .where("organizationId", "=", organizationId)
        .orderBy("id")
        .execute();
    },
    /** The time of a query that does nothing, in milliseconds: the middle one of five. */
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
