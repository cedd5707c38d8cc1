import type { SubmissionStatus } from "@foyer/contract";
import { sql } from "kysely";
import { compileOnce, type Executor } from "../../db/compiled-query.ts";
import type { FormDayRow, FormFieldDayRow, FormInstanceRow } from "../../db/form-tables.ts";
import type { Db } from "../../db/open.ts";

type DayKey = Pick<FormDayRow, "toolId" | "day" | "agentId">;
type DayCounts = Omit<FormDayRow, keyof DayKey>;

/** What is to be added to a form's counters of one day; negative to take away. */
export type DayDelta = DayKey & Partial<DayCounts> & { fields?: readonly string[] };

/** What is known of one showing of a form. */
export type InstanceEvent = Omit<FormInstanceRow, "fields" | "isStarted"> & { isStarted: boolean; fields: string[] };

const noCounts: DayCounts = { impressions: 0, started: 0, submitted: 0, successful: 0, failed: 0 };

export type FormCounters = ReturnType<typeof createFormCounters>;

/** The counters of forms: kept as things happen, so that reading them does not depend on how much happened. */
export function createFormCounters(db: Db, isPostgres: boolean) {
  const queries = counterQueries(db, isPostgres);

  async function keepInstance(trx: Executor, event: InstanceEvent): Promise<DayDelta | null> {
    const fields = [...new Set(event.fields)];
    const { toolId, agentId, day, id } = event;
    const row = {
      id,
      toolId,
      agentId,
      day,
      isStarted: event.isStarted ? 1 : 0,
      fields: JSON.stringify(fields),
    } as const;
    const key = { toolId, agentId, day };
    if ((await queries.insertInstance(trx, row)).rows.length > 0)
      return { ...key, impressions: 1, started: row.isStarted, fields };
    const known = (await queries.lockInstance(trx, { toolId, id })).rows[0];
    if (!known) return null;
    const knownFields: string[] = JSON.parse(known.fields);
    const added = fields.filter((field) => !knownFields.includes(field));
    const begins = event.isStarted && known.isStarted === 0;
    if (!begins && added.length === 0) return null;
    const isStarted = begins ? 1 : known.isStarted;
    await queries.updateInstance(trx, { toolId, id, isStarted, fields: JSON.stringify([...knownFields, ...added]) });
    return { ...key, day: known.day, started: begins ? 1 : 0, fields: added };
  }

  return {
    /** Keeps what is new of each showing. @returns what that adds to the counters */
    async keepInstances(trx: Executor, events: readonly InstanceEvent[]): Promise<DayDelta[]> {
      const deltas: DayDelta[] = [];
      // In one order everywhere, so that two processes never wait for each other.
      for (const event of events.toSorted((a, b) => compare(a.toolId + a.id, b.toolId + b.id))) {
        const delta = await keepInstance(trx, event);
        if (delta) deltas.push(delta);
      }
      return deltas;
    },
    /** Adds to the counters, each row once and in one order; comes last in a transaction. */
    async add(trx: Executor, deltas: readonly DayDelta[]): Promise<void> {
      for (const delta of merged(deltas)) await queries.addDay(trx, delta);
      for (const delta of mergedFields(deltas)) await queries.addField(trx, delta);
    },
  };
}

/** What a submission with this status counts as, besides being submitted. */
export function countsOf(status: SubmissionStatus): Pick<DayCounts, "successful" | "failed"> {
  const isSuccessful = /^(submitted|success|(webhook|client)_success)$/.test(status);
  const isFailed = /^(failed|(webhook|client)_failed)$/.test(status);
  return { successful: isSuccessful ? 1 : 0, failed: isFailed ? 1 : 0 };
}

/** What a change of status changes in the counters. */
export function statusDelta(before: SubmissionStatus, after: SubmissionStatus) {
  const [from, to] = [countsOf(before), countsOf(after)];
  return { successful: to.successful - from.successful, failed: to.failed - from.failed };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function merged(deltas: readonly DayDelta[]): FormDayRow[] {
  const rows = new Map<string, FormDayRow>();
  for (const { fields: _, ...delta } of deltas) {
    const key = `${delta.toolId} ${delta.day}`;
    const row = rows.get(key) ?? { ...noCounts, ...delta, ...noCounts };
    rows.set(key, row);
    for (const name of Object.keys(noCounts) as Array<keyof DayCounts>) row[name] += delta[name] ?? 0;
  }
  const hasChanges = (row: FormDayRow) => Object.keys(noCounts).some((name) => row[name as keyof DayCounts] !== 0);
  return [...rows].toSorted(([a], [b]) => compare(a, b)).flatMap(([, row]) => (hasChanges(row) ? [row] : []));
}

function mergedFields(deltas: readonly DayDelta[]): FormFieldDayRow[] {
  const rows = new Map<string, FormFieldDayRow>();
  for (const { toolId, day, agentId, fields = [] } of deltas) {
    for (const field of fields) {
      const key = `${toolId} ${day} ${field}`;
      const row = rows.get(key) ?? { toolId, day, agentId, field, completed: 0 };
      rows.set(key, row);
      row.completed++;
    }
  }
  return [...rows].toSorted(([a], [b]) => compare(a, b)).map(([, row]) => row);
}

type InstanceKey = Pick<FormInstanceRow, "toolId" | "id">;
type InstanceState = Pick<FormInstanceRow, "isStarted" | "fields">;

function counterQueries(db: Db, isPostgres: boolean) {
  return {
    insertInstance: compileOnce<FormInstanceRow, { id: string }>((param) =>
      db
        .insertInto("formInstances")
        .values({
          toolId: param("toolId"),
          id: param("id"),
          agentId: param("agentId"),
          day: param("day"),
          isStarted: param("isStarted"),
          fields: param("fields"),
        })
        .onConflict((conflict) => conflict.columns(["toolId", "id"]).doNothing())
        .returning("id"),
    ),
    lockInstance: compileOnce<InstanceKey, InstanceState & { day: string }>((param) =>
      db
        .selectFrom("formInstances")
        .select(["isStarted", "fields", "day"])
        .where("toolId", "=", param("toolId"))
        .where("id", "=", param("id"))
        .$if(isPostgres, (query) => query.forUpdate()),
    ),
    updateInstance: compileOnce<InstanceKey & InstanceState, never>((param) =>
      db
        .updateTable("formInstances")
        .set({ isStarted: param("isStarted"), fields: param("fields") })
        .where("toolId", "=", param("toolId"))
        .where("id", "=", param("id")),
    ),
    addDay: compileOnce<FormDayRow, never>((param) =>
      db
        .insertInto("formDays")
        .values({
          toolId: param("toolId"),
          day: param("day"),
          agentId: param("agentId"),
          started: param("started"),
          impressions: param("impressions"),
          submitted: param("submitted"),
          successful: param("successful"),
          failed: param("failed"),
        })
        .onConflict((conflict) =>
          conflict.columns(["toolId", "day"]).doUpdateSet({
            impressions: sql`"formDays".impressions + excluded.impressions`,
            started: sql`"formDays".started + excluded.started`,
            submitted: sql`"formDays".submitted + excluded.submitted`,
            successful: sql`"formDays".successful + excluded.successful`,
            failed: sql`"formDays".failed + excluded.failed`,
          }),
        ),
    ),
    addField: compileOnce<FormFieldDayRow, never>((param) =>
      db
        .insertInto("formFieldDays")
        .values({
          toolId: param("toolId"),
          day: param("day"),
          field: param("field"),
          agentId: param("agentId"),
          completed: param("completed"),
        })
        .onConflict((conflict) =>
          conflict
            .columns(["toolId", "day", "field"])
            .doUpdateSet({ completed: sql`"formFieldDays".completed + excluded.completed` }),
        ),
    ),
  };
}
