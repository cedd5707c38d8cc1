import { type Compilable, sql } from "kysely";
import type { FormDayRow, FormFieldDayRow } from "../../db/tables/forms.ts";
import type { Deps } from "../../deps.ts";

/** A range of days in UTC. Both ends are inclusive. */
export type DayRange = { from?: string | undefined; to?: string | undefined };

/** The maximum number of days in a chart. Older days are left out. */
const MAX_DAYS = 366;

type Scope = { organizationId: string; agentId: string };

/** Reads the counters of forms. Except for `days`, each function adds up the days of the range. */
export function createAnalyticsStore({ db, reads }: Pick<Deps, "db" | "reads">) {
  const read = <Row>(owner: string, query: Compilable<Row>) => reads.run(query, { lane: "list", owner });
  return {
    async totals(
      { organizationId, agentId }: Scope,
      range: DayRange,
    ): Promise<Array<Omit<FormDayRow, "day" | "agentId">>> {
      const query = db
        .selectFrom("formDays")
        .select(["toolId", sumColumn("impressions"), sumColumn("started"), sumColumn("submitted")])
        .select([sumColumn("successful"), sumColumn("failed")])
        .where("agentId", "=", agentId)
        .where(isInRange(range))
        .groupBy("toolId");
      return read(organizationId, query);
    },
    /** Returns one row per form and day, oldest first. */
    async days({ organizationId, agentId }: Scope, range: DayRange): Promise<FormDayRow[]> {
      const daysOfAgent = db.selectFrom("formDays").where("agentId", "=", agentId).where(isInRange(range));
      const newest = await read(
        organizationId,
        daysOfAgent.select("day").distinct().orderBy("day", "desc").limit(MAX_DAYS),
      );
      const first = newest.at(-1)?.day;
      return first === undefined
        ? []
        : read(organizationId, daysOfAgent.selectAll().where("day", ">=", first).orderBy("day"));
    },
    async fields(
      { organizationId, agentId }: Scope,
      range: DayRange,
    ): Promise<Array<Omit<FormFieldDayRow, "day" | "agentId">>> {
      const query = db
        .selectFrom("formFieldDays")
        .select(["toolId", "field", sumColumn("completed")])
        .where("agentId", "=", agentId)
        .where(isInRange(range))
        .groupBy(["toolId", "field"]);
      return read(organizationId, query);
    },
  };
}

function sumColumn<const N extends string>(name: N) {
  return sql<number>`cast(sum(${sql.ref(name)}) as bigint)`.as(name);
}

function isInRange({ from = "", to = "9999-12-31" }: DayRange) {
  return sql<boolean>`day between ${from} and ${to}`;
}
