import { expressionBuilder, type RawBuilder, sql } from "kysely";
import { compileOnce, type Executor } from "../db/compiled-query.ts";
import { databaseNow, msFromNow } from "../db/database-clock.ts";
import type { DatabaseKind } from "../db/database-kind.ts";
import { jsonRows, toJson } from "../db/json-rows.ts";
import type { Db } from "../db/open.ts";
import type { Flag } from "../db/tables/column-types.ts";
import type { DeliveryRow } from "../db/tables/outbox.ts";
import type { Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import { leaseDue } from "../jobs/leased-queue.ts";
import { recordMailRecipients, recordSentHosts } from "./sent-hosts.ts";

/**
 * A delivery that this process has leased. No other process sends it before the lease expires. `fence` identifies the
 * lease.
 */
export type LeasedDelivery = DeliveryRow;

export type NewDelivery = Omit<DeliveryRow, "dueAt">;

/** The result of an attempt: delivered, failed permanently, or to be retried after a wait in milliseconds. */
export type Next = { state: "delivered" | "failed"; waitMs?: undefined } | { state: "pending"; waitMs: number };

export type Outcome = { delivery: LeasedDelivery; next: Next };

/** The deliveries that a claim leaves in the queue. */
export type Except = {
  /** everything except emails */
  allButMail: boolean;
  /** everything except emails of these organizations */
  organizations: readonly string[];
  hosts: readonly string[];
  /** what an organization sends to a host */
  pairs: ReadonlyArray<{ owner: string; host: string }>;
};

export const nothing: Except = { allButMail: false, organizations: [], hosts: [], pairs: [] };

export const isNothing = ({ allButMail, organizations, hosts, pairs }: Except): boolean =>
  !allButMail && organizations.length + hosts.length + pairs.length === 0;

const toPairKey = ({ owner, host }: Except["pairs"][number]) => `${owner} ${host}`;

export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>;

/**
 * The outbox: pending deliveries, each written in the transaction of its subject. A process leases a delivery while it
 * sends it, and renews the lease until the outcome is recorded. If the process ends unexpectedly, the lease expires and
 * any process may claim the delivery. All instants come from the database's clock, so that clock differences between
 * processes do not matter.
 *
 * A lease also expires when the database or the process is too slow to renew it. Even then, this process keeps holding
 * its deliveries and does not claim any of them a second time.
 * @param leaseMs must be longer than an attempt usually takes, including recording it
 */
export function createDeliveryQueue({ db, databaseKind }: { db: Db; databaseKind: DatabaseKind }, leaseMs: number) {
  const now = databaseNow(databaseKind);
  const queries = {
    ...deliveryQueries(db, databaseKind, now),
    claim: compileOnce<Claim, LeasedDelivery>((param) =>
      claim(
        { db, databaseKind },
        {
          limit: param("limit"),
          json: param("json"),
          ms: param("ms"),
          except: nothing,
        },
      ),
    ),
    renew: renew(db, databaseKind),
    move: move(db),
    retry: retry(db, databaseKind, now),
    retryFailed: retryFailed(db, databaseKind, now),
  };

  /** The deliveries that this process is sending or recording, by id. */
  const held = new Map<string, LeasedDelivery>();

  return {
    leaseMs,
    /**
     * Marks a leased delivery as held until the returned function is called. Meanwhile, `renew` extends the lease, and
     * this process neither claims nor retries the delivery, even if the lease has expired.
     * @returns null if this process already holds the delivery under another lease
     */
    hold(delivery: LeasedDelivery): (() => void) | null {
      if (held.get(delivery.id)?.attempts === delivery.attempts) return null;
      held.set(delivery.id, delivery);
      return () => {
        if (held.get(delivery.id) === delivery) held.delete(delivery.id);
      };
    },
    /** Extends the leases of all deliveries that this process holds. */
    async renew(): Promise<void> {
      const rows = [...held.values()].map(({ id, fence }) => ({ id, fence }));
      if (rows.length > 0) await queries.renew(db, { json: toJson(rows), ms: leaseMs });
    },
    /** Inserts deliveries that are leased to the caller by default, or become due after `dueInMs`. */
    async insert(trx: Executor, rows: readonly NewDelivery[], dueInMs?: number): Promise<void> {
      const isLeased = dueInMs === undefined ? 1 : 0;
      for (const { conversationId = null, ...row } of rows) {
        await queries.insert(trx, { ...row, conversationId, isLeased, ms: dueInMs ?? leaseMs });
      }
    },
    /** Claims due deliveries, oldest first, and leases them to the caller. Skips those that `except` describes. */
    async claim(limit: number, except: Except = nothing): Promise<LeasedDelivery[]> {
      const json = toJson([...held.values()].map(({ id, attempts }) => ({ id, attempts })));
      if (isNothing(except)) return (await queries.claim(db, { limit, json, ms: leaseMs })).rows;
      const query = claim({ db, databaseKind }, { limit, json, ms: leaseMs, except });
      return query.execute();
    },
    /**
     * Records the outcomes of attempts. An outcome that is already recorded is ignored, so a caller that does not know
     * whether its commit succeeded can repeat the call.
     * @returns the number of each attempt by delivery id, without deliveries whose lease was lost
     */
    async settle(trx: Executor, outcomes: readonly Outcome[]): Promise<Map<string, number>> {
      const rows = outcomes.map(({ delivery: { id, fence, attempts }, next: { state, waitMs = 0 } }) => ({
        id,
        fence,
        attempts,
        state,
        waitMs,
      }));
      const settled = await queries.settle(trx, { json: toJson(rows) });
      return new Map(settled.rows.map(({ id, attempts }) => [id, attempts]));
    },
    /**
     * Unblocks the next post action of these submissions, and their confirmation emails if these still wait, and leases
     * them to the caller.
     */
    async releaseWaiting(trx: Executor, submissionIds: readonly string[]): Promise<LeasedDelivery[]> {
      if (submissionIds.length === 0) return [];
      const json = toJson(submissionIds.map((id) => ({ id })));
      return (await queries.releaseWaiting(trx, { json, ms: leaseMs })).rows;
    },
    /**
     * Changes the host of a leased delivery before an attempt, because its receiver has moved. Requeue the delivery
     * afterwards, because it has no slot at the new host. The previous host is recorded if an earlier lease may have
     * reached it.
     */
    async move({ id, fence, attempts }: LeasedDelivery, host: string): Promise<void> {
      await inTransaction(db, async (trx) => {
        const wasAttempted = attempts > 0 || fence > FIRST_FENCE;
        if (wasAttempted) await recordSentHosts({ db, databaseKind }, trx, { column: "id", ids: [id] });
        await queries.move(trx, { id, fence, host });
      });
    },
    /** Returns a delivery that was not attempted to the queue. Any process may claim it after `dueInMs`. */
    async requeue({ id, fence }: Pick<LeasedDelivery, "id" | "fence">, dueInMs = 0): Promise<void> {
      await queries.requeue(db, { id, fence, ms: dueInMs });
    },
    /**
     * Leases a delivery to the caller with a full set of attempts. Returns an empty array if another lease has not
     * expired or this process holds the delivery: it is being sent, and a second attempt would create a duplicate.
     */
    async retry(
      trx: Executor,
      { id, fence, attempts, target, host }: Pick<DeliveryRow, "id" | "fence" | "attempts"> & Address,
      address: Address,
    ): Promise<LeasedDelivery[]> {
      if (held.get(id)?.attempts === attempts) return [];
      await recordReceivers({ db, databaseKind }, trx, [{ id, ...address, previous: { target, host } }]);
      return (await queries.retry(trx, { id, fence, ...address, ms: leaseMs })).rows;
    },
    /**
     * Retries failed deliveries, which are then due immediately for any process. `previous` is where they were sent so
     * far.
     * @returns the ids of the retried deliveries
     */
    async retryFailed(trx: Executor, rows: readonly MovedRow[]): Promise<Set<string>> {
      await recordReceivers({ db, databaseKind }, trx, rows);
      const { rows: retried } = await queries.retryFailed(trx, { json: toJson(rows) });
      return new Set(retried.map(({ id }) => id));
    },
  };
}

/** The fence of a delivery's first lease. */
const FIRST_FENCE = 1;

type LeaseKey = { id: string; fence: number };

/** The parameters of a claim. `json` contains the deliveries that this process holds, which are not claimed. */
type Claim = { limit: number; json: string; ms: number };

type Address = Pick<DeliveryRow, "target" | "host">;

type AddressRow = Address & { id: string };

type MovedRow = AddressRow & { previous: Address };

type HeldRow = { id: string; attempts: number };

/** Records who received deliveries that are about to be sent to another host or recipient. */
async function recordReceivers(
  database: { db: Db; databaseKind: DatabaseKind },
  trx: Executor,
  rows: readonly MovedRow[],
): Promise<void> {
  const rowsWithNewHost = rows.filter(({ host, previous }) => host !== previous.host);
  await recordSentHosts(database, trx, { column: "id", ids: rowsWithNewHost.map(({ id }) => id) });
  const rowsWithNewTarget = rows.filter(({ target, previous }) => target !== previous.target);
  await recordMailRecipients(
    database,
    trx,
    rowsWithNewTarget.map(({ id }) => id),
  );
}

type SettledRow = Pick<DeliveryRow, "id" | "fence" | "attempts" | "state"> & { waitMs: number };

const settledColumns = { id: "text", fence: "bigint", attempts: "bigint", state: "text", waitMs: "bigint" } as const;

function deliveryQueries(db: Db, databaseKind: DatabaseKind, now: RawBuilder<number>) {
  return {
    insert: compileOnce<NewDelivery & { conversationId: string | null; isLeased: Flag; ms: number }, never>((param) =>
      db.insertInto("deliveries").values({
        id: param("id"),
        organizationId: param("organizationId"),
        kind: param("kind"),
        submissionId: param("submissionId"),
        webhookId: param("webhookId"),
        eventId: param("eventId"),
        conversationId: param("conversationId"),
        position: param("position"),
        purpose: param("purpose"),
        type: param("type"),
        target: param("target"),
        host: param("host"),
        state: param("state"),
        attempts: param("attempts"),
        attemptsBefore: param("attemptsBefore"),
        fence: param("fence"),
        isLeased: param("isLeased"),
        createdAt: param("createdAt"),
        dueAt: msFromNow(databaseKind, param("ms")),
      }),
    ),
    settle: compileOnce<{ json: string }, { id: string; attempts: number }>((param) =>
      db
        .updateTable("deliveries")
        .from(jsonRows<SettledRow>(databaseKind, param("json"), settledColumns))
        .set({
          state: sql.ref("rows.state"),
          attempts: sql`deliveries.attempts + 1`,
          isLeased: sql.lit(0),
          dueAt: sql`${now} + rows."waitMs"`,
        })
        .whereRef("deliveries.id", "=", "rows.id")
        .whereRef("deliveries.fence", "=", "rows.fence")
        .whereRef("deliveries.attempts", "=", "rows.attempts")
        .where("deliveries.state", "=", sql.lit("pending"))
        .returning(["deliveries.id", "deliveries.attempts"]),
    ),
    releaseWaiting: compileOnce<{ json: string; ms: number }, LeasedDelivery>((param) =>
      db
        .updateTable("deliveries")
        .set({
          state: "pending",
          fence: sql`fence + 1`,
          isLeased: sql.lit(1),
          dueAt: msFromNow(databaseKind, param("ms")),
        })
        .where(
          "submissionId",
          "in",
          db.selectFrom(jsonRows<{ id: string }>(databaseKind, param("json"), { id: "text" })).select("rows.id"),
        )
        .where("state", "=", sql.lit("waiting"))
        .where(({ eb, or, selectFrom }) =>
          or([
            eb("purpose", "=", sql.lit("confirmation")),
            eb(
              "position",
              "=",
              selectFrom("deliveries as waiting")
                .select(({ fn }) => fn.min("waiting.position").as("position"))
                .whereRef("waiting.submissionId", "=", "deliveries.submissionId")
                .where("waiting.state", "=", sql.lit("waiting"))
                .where("waiting.purpose", "=", sql.lit("action")),
            ),
          ]),
        )
        .returningAll(),
    ),
    requeue: compileOnce<LeaseKey & { ms: number }, never>((param) =>
      db
        .updateTable("deliveries")
        .set({ isLeased: sql.lit(0), dueAt: msFromNow(databaseKind, param("ms")) })
        .where("id", "=", param("id"))
        .where("fence", "=", param("fence"))
        .where("state", "=", "pending"),
    ),
  };
}

/** Leases due deliveries, oldest first, that this process does not hold. */
function claim(
  { db, databaseKind }: { db: Db; databaseKind: DatabaseKind },
  { limit, json, ms, except: { allButMail, organizations, hosts, pairs } }: Claim & { except: Except },
) {
  const { eb, or, refTuple } = expressionBuilder<Tables, "deliveries">();
  const held = db
    .selectFrom(jsonRows<HeldRow>(databaseKind, json, { id: "text", attempts: "bigint" }))
    .select(["rows.id", "rows.attempts"])
    .$asTuple("id", "attempts");
  const where = [
    eb(sql.ref("state"), "=", sql.lit("pending")),
    eb(refTuple("id", "attempts"), "not in", held),
    ...(allButMail ? [eb("type", "=", "email")] : []),
    ...(organizations.length > 0
      ? [or([eb("type", "=", "email"), eb("organizationId", "not in", organizations)])]
      : []),
    ...(hosts.length > 0 ? [eb("host", "not in", hosts)] : []),
    ...(pairs.length > 0 ? [eb(sql<string>`"organizationId" || ' ' || host`, "not in", pairs.map(toPairKey))] : []),
  ];
  const changes = { isLeased: sql.lit(1) };
  return leaseDue<LeasedDelivery>(
    { db, databaseKind },
    { table: "deliveries", key: ["id"], limit, leaseMs: ms, where, changes },
  );
}

/** Skips deliveries that were recorded or returned to the outbox in the meantime, which keep their due time. */
function renew(db: Db, databaseKind: DatabaseKind) {
  return compileOnce<{ json: string; ms: number }, never>((param) =>
    db
      .updateTable("deliveries")
      .from(jsonRows<LeaseKey>(databaseKind, param("json"), { id: "text", fence: "bigint" }))
      .set({ dueAt: msFromNow(databaseKind, param("ms")) })
      .whereRef("deliveries.id", "=", "rows.id")
      .whereRef("deliveries.fence", "=", "rows.fence")
      .where("deliveries.state", "=", sql.lit("pending"))
      .where("deliveries.isLeased", "=", sql.lit(1)),
  );
}

function move(db: Db) {
  return compileOnce<LeaseKey & Pick<DeliveryRow, "host">, never>((param) =>
    db
      .updateTable("deliveries")
      .set({ host: param("host") })
      .where("id", "=", param("id"))
      .where("fence", "=", param("fence"))
      .where("state", "=", "pending"),
  );
}

function retry(db: Db, databaseKind: DatabaseKind, now: RawBuilder<number>) {
  return compileOnce<LeaseKey & { ms: number } & Pick<DeliveryRow, "target" | "host">, LeasedDelivery>((param) =>
    db
      .updateTable("deliveries")
      .set({
        state: "pending",
        attemptsBefore: sql`attempts`,
        fence: sql`fence + 1`,
        isLeased: sql.lit(1),
        dueAt: msFromNow(databaseKind, param("ms")),
        target: param("target"),
        host: param("host"),
      })
      .where("id", "=", param("id"))
      .where("fence", "=", param("fence"))
      .where((where) =>
        where.or([where("state", "<>", "pending"), where("isLeased", "=", sql.lit(0)), where("dueAt", "<=", now)]),
      )
      .returningAll(),
  );
}

function retryFailed(db: Db, kind: DatabaseKind, now: RawBuilder<number>) {
  return compileOnce<{ json: string }, Pick<DeliveryRow, "id">>((param) =>
    db
      .updateTable("deliveries")
      .from(jsonRows<AddressRow>(kind, param("json"), { id: "text", target: "text", host: "text" }))
      .set({
        state: "pending",
        attemptsBefore: sql`deliveries.attempts`,
        fence: sql`deliveries.fence + 1`,
        isLeased: sql.lit(0),
        dueAt: now,
        target: sql.ref("rows.target"),
        host: sql.ref("rows.host"),
      })
      .whereRef("deliveries.id", "=", "rows.id")
      .where("deliveries.state", "=", sql.lit("failed"))
      .returning("deliveries.id"),
  );
}
