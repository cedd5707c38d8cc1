import type { TriggerDayRow } from "../db/tables/triggers.ts";
import type { Deps } from "../deps.ts";

/** Days are inclusive; null means no bound. A null `agentId` means all agents of the organization. */
export type StatsFilter = { organizationId: string; agentId: string | null; from: string | null; to: string | null };

export function createTriggerStatsStore({ db, reads }: Pick<Deps, "db" | "reads">) {
  const selectCounts = ({ organizationId, agentId, from, to }: StatsFilter) =>
    db
      .selectFrom("triggers")
      .leftJoin("triggerDays", (join) =>
        join
          .onRef("triggerDays.triggerId", "=", "triggers.id")
          .on("day", ">=", from ?? "0000-01-01")
          .on("day", "<=", to ?? "9999-12-31"),
      )
      .where("organizationId", "=", organizationId)
      .$if(agentId !== null, (query) => query.where("agentId", "=", agentId ?? ""));
  return {
    /** One row per trigger. */
    async totals(filter: StatsFilter): Promise<Array<{ id: string; fired: number; converted: number }>> {
      const query = selectCounts(filter)
        .select((x) => ["triggers.id", x.fn.sum("fired").as("fired"), x.fn.sum("converted").as("converted")])
        .groupBy("triggers.id");
      const rows = await reads.run(query, { lane: "list", owner: filter.organizationId });
      return rows.map(({ id, fired, converted }) => ({ id, fired: Number(fired), converted: Number(converted) }));
    },
    /** One row per trigger and day, oldest first. A trigger without any days has one row without a day. */
    async days(filter: StatsFilter): Promise<Array<{ id: string } & Nullable<Omit<TriggerDayRow, "triggerId">>>> {
      const query = selectCounts(filter).select(["triggers.id", "day", "fired", "converted"]).orderBy("day");
      return reads.run(query, { lane: "list", owner: filter.organizationId });
    },
  };
}

type Nullable<T> = { [K in keyof T]: T[K] | null };
