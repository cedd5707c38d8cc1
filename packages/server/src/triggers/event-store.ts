import { sql } from "kysely";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import type { DatabaseKind } from "../db/database-kind.ts";
import { compileInsert, jsonRows, toJson } from "../db/json-rows.ts";
import type { Db } from "../db/open.ts";
import type { TriggerDayRow, TriggerEventRow, TriggerFiringRow } from "../db/tables/triggers.ts";
import type { Deps } from "../deps.ts";

export type NewTriggerEvent = Omit<TriggerEventRow, "id">;
export type Fired = Pick<TriggerEventRow, "agentId" | "sessionId" | "triggerId" | "eventType">;

/**
 * The number of an agent's latest events that are searched for a session. An index by session would find any event, but
 * each insert would then write to a different page of the index, which costs more than storing the event.
 */
const LOOK_BACK = 2_000;

const columns = {
  agentId: "text",
  triggerId: "text",
  triggerName: "text",
  triggerType: "text",
  actionType: "text",
  eventType: "text",
  sessionId: "text",
  pagePath: "text",
  day: "text",
  createdAt: "bigint",
} as const;

export function createTriggerEventStore({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  const queries = eventQueries(db, databaseKind);
  const firstId = ({ rows }: { rows: Array<{ id: string }> }) => rows[0]?.id ?? null;
  return {
    insert: compileInsert<NewTriggerEvent>({ db, databaseKind }, "triggerEvents", columns),
    async byId(trx: Executor, agentId: string, id: string): Promise<string | null> {
      return firstId(await queries.byId(trx, { agentId, id }));
    },
    /** Returns the oldest trigger if several have this name. */
    async byName(trx: Executor, agentId: string, name: string): Promise<string | null> {
      return firstId(await queries.byName(trx, { agentId, name }));
    },
    /** The latest firings of an agent's existing triggers, oldest first. */
    async lastFired(trx: Executor, agentId: string): Promise<Fired[]> {
      return (await queries.lastFired(trx, { agentId })).rows.toReversed();
    },
    /**
     * Updates the firings that have not converted yet. A conversion of a session takes one of them. Without any, it
     * belongs to no trigger.
     */
    async settleFirings(trx: Executor, events: readonly NewTriggerEvent[]): Promise<NewTriggerEvent[]> {
      const fired = countFirings(events);
      if (fired.length > 0) await queries.addFirings(trx, { json: toJson(fired) });
      const settled: NewTriggerEvent[] = [];
      for (const event of events) {
        const key = event.eventType === "converted" ? firingKey(event) : null;
        const isCounted = key === null || (await queries.takeFiring(trx, { key })).rows.length > 0;
        settled.push(isCounted ? event : { ...event, triggerId: null });
      }
      return settled;
    },
    /** Adds the events to the counters of their triggers. Call this last in a transaction. */
    async count(trx: Executor, events: readonly NewTriggerEvent[]): Promise<void> {
      for (const row of countEvents(events)) await queries.addDay(trx, row);
    },
  };
}

/** One row per trigger and day, in a consistent order, so that two processes cannot deadlock. */
function countEvents(events: readonly NewTriggerEvent[]): TriggerDayRow[] {
  const rows = new Map<string, TriggerDayRow>();
  for (const { triggerId, day, eventType } of events) {
    if (triggerId === null) continue;
    const key = `${triggerId} ${day}`;
    const row = rows.get(key) ?? { triggerId, day, fired: 0, converted: 0 };
    rows.set(key, row);
    row[eventType]++;
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** @returns null for events without a session or trigger, which are not compared with each other */
function firingKey({ sessionId, triggerId }: NewTriggerEvent): string | null {
  return sessionId === null || triggerId === null ? null : `${sessionId} ${triggerId}`.toWellFormed();
}

/** One row per session and trigger, in a consistent order, so that two processes cannot deadlock. */
function countFirings(events: readonly NewTriggerEvent[]): TriggerFiringRow[] {
  const rows = new Map<string, TriggerFiringRow>();
  for (const event of events) {
    const key = event.eventType === "fired" ? firingKey(event) : null;
    if (key === null) continue;
    const { agentId, day, sessionId } = event;
    rows.set(key, { key, agentId, sessionId: sessionId ?? "", day, open: (rows.get(key)?.open ?? 0) + 1 });
  }
  return [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

const firingColumns = { key: "text", agentId: "text", sessionId: "text", open: "bigint", day: "text" } as const;

function eventQueries(db: Db, databaseKind: DatabaseKind) {
  const selectTriggerIds = (agentId: string) =>
    db.selectFrom("triggers").select("triggers.id").where("agentId", "=", agentId);
  return {
    byId: compileOnce<{ agentId: string; id: string }, { id: string }>((param) =>
      selectTriggerIds(param("agentId")).where("id", "=", param("id")),
    ),
    byName: compileOnce<{ agentId: string; name: string }, { id: string }>((param) =>
      selectTriggerIds(param("agentId")).where("name", "=", param("name")).orderBy("id").limit(1),
    ),
    lastFired: compileOnce<{ agentId: string }, Fired>((param) =>
      db
        .selectFrom((from) =>
          from
            .selectFrom("triggerEvents")
            .selectAll()
            .where("agentId", "=", param("agentId"))
            .orderBy("id", "desc")
            .limit(LOOK_BACK)
            .as("latest"),
        )
        .innerJoin("triggers", "triggers.id", "latest.triggerId")
        .select(["latest.agentId", "sessionId", "triggers.id as triggerId", "eventType"])
        .where("eventType", "=", "fired")
        .where("sessionId", "is not", null)
        .orderBy("latest.id", "desc"),
    ),
    addFirings: compileOnce<{ json: string }, never>((param) =>
      db
        .insertInto("triggerFirings")
        .columns(["key", "agentId", "sessionId", "open", "day"])
        .expression(
          db
            .selectFrom(jsonRows<TriggerFiringRow>(databaseKind, param("json"), firingColumns))
            .select(["rows.key", "rows.agentId", "rows.sessionId", "rows.open", "rows.day"])
            // SQLite reads "on conflict" after a select without a condition as a join.
            .where(sql<boolean>`true`) as never,
        )
        .onConflict((conflict) =>
          conflict.column("key").doUpdateSet({
            open: sql`"triggerFirings".open + excluded.open`,
            day: sql`excluded.day`,
          }),
        ),
    ),
    takeFiring: compileOnce<{ key: string }, { key: string }>((param) =>
      db
        .updateTable("triggerFirings")
        .set({ open: sql`open - 1` })
        .where("key", "=", param("key"))
        .where("open", ">", sql.lit(0))
        .returning("key"),
    ),
    addDay: compileOnce<TriggerDayRow, never>((param) =>
      db
        .insertInto("triggerDays")
        .values({
          triggerId: param("triggerId"),
          day: param("day"),
          fired: param("fired"),
          converted: param("converted"),
        })
        .onConflict((conflict) =>
          conflict.columns(["triggerId", "day"]).doUpdateSet({
            fired: sql`"triggerDays".fired + excluded.fired`,
            converted: sql`"triggerDays".converted + excluded.converted`,
          }),
        ),
    ),
  };
}
