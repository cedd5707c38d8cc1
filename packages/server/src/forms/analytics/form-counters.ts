import type { SubmissionStatus } from "@foyer/contract";
import { sql } from "kysely";
import { compileOnce, type Executor } from "../../db/compiled-query.ts";
import type { Db } from "../../db/open.ts";
import type { FormDayRow, FormFieldDayRow, FormInstanceRow } from "../../db/tables/forms.ts";

type DayKey = Pick<FormDayRow, "toolId" | "day" | "agentId">;
type DayCounts = Omit<FormDayRow, keyof DayKey>;

/** Amounts to add to the counters of a form and day. Negative amounts subtract. */
export type DayDelta = DayKey & Partial<DayCounts> & { fields?: readonly string[] };

/** The data of an event about one impression of a form. */
export type ImpressionEvent = Omit<FormInstanceRow, "fields" | "isStarted"> & { isStarted: boolean; fields: string[] };

const zeroCounts: DayCounts = { impressions: 0, started: 0, submitted: 0, successful: 0, failed: 0 };

export type FormCounters = ReturnType<typeof createFormCounters>;

/**
 * Counts impressions, starts and submissions when they happen, so that the time to read the counters does not depend on
 * their number.
 */
export function createFormCounters(db: Db, isPostgres: boolean) {
  const queries = counterQueries(db, isPostgres);

  async function recordImpression(trx: Executor, event: ImpressionEvent): Promise<DayDelta | null> {
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
    const existing = (await queries.lockInstance(trx, { toolId, id })).rows[0];
    if (!existing) return null;
    const existingFields: string[] = JSON.parse(existing.fields);
    const newFields = fields.filter((field) => !existingFields.includes(field));
    const isNewStart = event.isStarted && existing.isStarted === 0;
    if (!isNewStart && newFields.length === 0) return null;
    const isStarted = isNewStart ? 1 : existing.isStarted;
    await queries.updateInstance(trx, {
      toolId,
      id,
      isStarted,
      fields: JSON.stringify([...existingFields, ...newFields]),
    });
    return { ...key, day: existing.day, started: isNewStart ? 1 : 0, fields: newFields };
  }

  return {
    /** Stores what is new about each impression. @returns the amounts to add to the counters */
    async recordImpressions(trx: Executor, events: readonly ImpressionEvent[]): Promise<DayDelta[]> {
      const deltas: DayDelta[] = [];
      // Insert in a consistent order, so that two processes cannot deadlock.
      for (const event of events.toSorted((a, b) => compare(a.toolId + a.id, b.toolId + b.id))) {
        const delta = await recordImpression(trx, event);
        if (delta) deltas.push(delta);
      }
      return deltas;
    },
    /**
     * Adds amounts to the counters. It updates each row once and in a consistent order. Call it last in a transaction,
     * because it locks rows that many writers share.
     */
    async add(trx: Executor, deltas: readonly DayDelta[]): Promise<void> {
      for (const delta of mergeDeltas(deltas)) await queries.addDay(trx, delta);
      for (const delta of mergeFieldCounts(deltas)) await queries.addField(trx, delta);
    },
  };
}

/** Returns the amounts by which a submission with this status counts as successful or failed. */
export function countStatus(status: SubmissionStatus): Pick<DayCounts, "successful" | "failed"> {
  const isSuccessful = /^(submitted|success|(webhook|client)_success)$/.test(status);
  const isFailed = /^(failed|(webhook|client)_failed)$/.test(status);
  return { successful: isSuccessful ? 1 : 0, failed: isFailed ? 1 : 0 };
}

/** Returns the amounts to add to the counters after a change of status. */
export function countStatusChange(before: SubmissionStatus, after: SubmissionStatus) {
  const [from, to] = [countStatus(before), countStatus(after)];
  return { successful: to.successful - from.successful, failed: to.failed - from.failed };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function mergeDeltas(deltas: readonly DayDelta[]): FormDayRow[] {
  const rows = new Map<string, FormDayRow>();
  for (const { fields: _, ...delta } of deltas) {
    const key = `${delta.toolId} ${delta.day}`;
    const row = rows.get(key) ?? { ...zeroCounts, ...delta, ...zeroCounts };
    rows.set(key, row);
    for (const name of Object.keys(zeroCounts) as Array<keyof DayCounts>) row[name] += delta[name] ?? 0;
  }
  const hasChanges = (row: FormDayRow) => Object.keys(zeroCounts).some((name) => row[name as keyof DayCounts] !== 0);
  return [...rows].toSorted(([a], [b]) => compare(a, b)).flatMap(([, row]) => (hasChanges(row) ? [row] : []));
}

function mergeFieldCounts(deltas: readonly DayDelta[]): FormFieldDayRow[] {
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
