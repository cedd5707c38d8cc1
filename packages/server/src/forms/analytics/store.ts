import { type Compilable, sql } from "kysely";
import type { FormDayRow, FormFieldDayRow } from "../../db/form-tables.ts";
import type { Deps } from "../../deps.ts";

/** Days in UTC; both ends count. */
export type DayRange = { from?: string | undefined; to?: string | undefined };

/** The newest days that a chart gets. */
const MOST_DAYS = 366;

/** An agent, and the organization that it is read for. */
type Owned = { organizationId: string; agentId: string };

/** Reads the forms' counters: mostly one row for each form, its days added up. */
export function createAnalyticsStore({ db, reads }: Pick<Deps, "db" | "reads">) {
  const read = <Row>(owner: string, query: Compilable<Row>) => reads.run(query, { lane: "list", owner });
  return {
    async totals(
      { organizationId, agentId }: Owned,
      range: DayRange,
    ): Promise<Array<Omit<FormDayRow, "day" | "agentId">>> {
      const query = db
        .selectFrom("formDays")
        .select(["toolId", total("impressions"), total("started"), total("submitted")])
        .select([total("successful"), total("failed")])
        .where("agentId", "=", agentId)
        .where(isIn(range))
        .groupBy("toolId");
      return read(organizationId, query);
    },
    /** One row for each form and day, oldest first. */
    async days({ organizationId, agentId }: Owned, range: DayRange): Promise<FormDayRow[]> {
      const own = db.selectFrom("formDays").where("agentId", "=", agentId).where(isIn(range));
      const newest = await read(organizationId, own.select("day").distinct().orderBy("day", "desc").limit(MOST_DAYS));
      const first = newest.at(-1)?.day;
      return first === undefined ? [] : read(organizationId, own.selectAll().where("day", ">=", first).orderBy("day"));
    },
    async fields(
      { organizationId, agentId }: Owned,
      range: DayRange,
    ): Promise<Array<Omit<FormFieldDayRow, "day" | "agentId">>> {
      const query = db
        .selectFrom("formFieldDays")
        .select(["toolId", "field", total("completed")])
        .where("agentId", "=", agentId)
        .where(isIn(range))
        .groupBy(["toolId", "field"]);
      return read(organizationId, query);
    },
  };
}

function total<const N extends string>(name: N) {
  return sql<number>`cast(sum(${sql.ref(name)}) as bigint)`.as(name);
}

function isIn({ from = "", to = "9999-12-31" }: DayRange) {
  return sql<boolean>`day between ${from} and ${to}`;
}
