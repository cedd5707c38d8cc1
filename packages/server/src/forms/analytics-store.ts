import { sql } from "kysely";
import type { FormDayRow, FormFieldDayRow } from "../db/form-tables.ts";
import type { Db } from "../db/open.ts";

/** Days in UTC; both ends count. */
export type DayRange = { from?: string | undefined; to?: string | undefined };

/** The newest days that a chart gets. */
const MOST_DAYS = 366;

/** Reads the forms' counters: mostly one row a form, its days added up. */
export function createAnalyticsStore(db: Db) {
  return {
    async totals(agentId: string, range: DayRange): Promise<Array<Omit<FormDayRow, "day" | "agentId">>> {
      return db
        .selectFrom("formDays")
        .select(["toolId", total("impressions"), total("started"), total("submitted")])
        .select([total("successful"), total("failed")])
        .where("agentId", "=", agentId)
        .where(isIn(range))
        .groupBy("toolId")
        .execute();
    },
    /** One row for each form and day, oldest first. */
    async days(agentId: string, range: DayRange): Promise<FormDayRow[]> {
      const own = db.selectFrom("formDays").where("agentId", "=", agentId).where(isIn(range));
      const newest = await own.select("day").distinct().orderBy("day", "desc").limit(MOST_DAYS).execute();
      const first = newest.at(-1)?.day;
      return first === undefined ? [] : own.selectAll().where("day", ">=", first).orderBy("day").execute();
    },
    async fields(agentId: string, range: DayRange): Promise<Array<Omit<FormFieldDayRow, "day" | "agentId">>> {
      return db
        .selectFrom("formFieldDays")
        .select(["toolId", "field", total("completed")])
        .where("agentId", "=", agentId)
        .where(isIn(range))
        .groupBy(["toolId", "field"])
        .execute();
    },
  };
}

function total<const N extends string>(name: N) {
  return sql<number>`cast(sum(${sql.ref(name)}) as bigint)`.as(name);
}

function isIn({ from = "", to = "9999-12-31" }: DayRange) {
  return sql<boolean>`day between ${from} and ${to}`;
}
