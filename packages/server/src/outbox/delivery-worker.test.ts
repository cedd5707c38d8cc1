import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { type FormClient, openForms } from "../../../../test/form-client.ts";
import { newId } from "../ids.ts";
import {
  createDeliveryQueue,
  type DeliveryQueue,
  type Except,
  type LeasedDelivery,
  type NewDelivery,
} from "./delivery-queue.ts";
import { createDeliveryWorker, type RunDelivery } from "./delivery-worker.ts";
import { createOutbox } from "./outbox.ts";

const LEASE = 60_000;
const SLOTS_PER_HOST = 32;
const log = pino({ level: "silent" });

onBothDatabases("the delivery worker", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  let queue: DeliveryQueue;
  let submissionId: string;
  let position = 0;
  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database });
    submissionId = (await forms.submit((await forms.createForm()).id)).body.submissionId;
    await forms.server.drain();
    queue = createDeliveryQueue(forms.server.deps, LEASE);
  });
  beforeEach(async () => {
    await forms.db.deleteFrom("deliveries").execute();
  });
  afterAll(async () => {
    await forms.stop();
    await database.drop();
  });

  /** Creates a worker that is stopped at the end of the test. */
  function openWorker(run: RunDelivery) {
    const worker = createDeliveryWorker({ queue, run, log });
    onTestFinished(() => worker.stop(0));
    return worker;
  }
  function createDelivery(host: string, more: Partial<NewDelivery> = {}): NewDelivery {
    const fixed = { purpose: "action", type: "webhook", target: "{}", state: "pending", createdAt: 1 } as const;
    const counts = { attempts: 0, attemptsBefore: 0, fence: 1 };
    const references = { kind: "submission", webhookId: null, eventId: null } as const;
    return {
      ...references,
      id: newId("delivery"),
      submissionId,
      organizationId: "org_one",
      position: position++,
      host,
      ...fixed,
      ...counts,
      ...more,
    };
  }
  /** Enqueues deliveries that are already due. */
  async function enqueueDue(host: string, count = 1, more: Partial<NewDelivery> = {}) {
    const rows = Array.from({ length: count }, () => createDelivery(host, more));
    await forms.db.transaction().execute((trx) => queue.insert(trx, rows, -1));
    return rows;
  }
  /** Inserts a delivery that is leased to the caller and can be run immediately. */
  async function insertLeased(host: string): Promise<LeasedDelivery> {
    const row = createDelivery(host);
    await queue.insert(forms.db, [row]);
    return { ...row, dueAt: 0 };
  }
  const settle = (delivery: LeasedDelivery) => queue.settle(forms.db, [{ delivery, next: { state: "delivered" } }]);
  const countPending = async () =>
    (await forms.db.selectFrom("deliveries").select("id").where("state", "=", "pending").execute()).length;
  const rejectOnAbort = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

  it("sends every due delivery once, including later ones", async () => {
    const seen: string[] = [];
    const worker = openWorker(async (delivery) => {
      seen.push(delivery.id);
      await settle(delivery);
      return [];
    });
    const rows = await enqueueDue("a", 100);
    worker.start();
    await expect.poll(countPending).toBe(0);
    const later = await enqueueDue("b", 3);
    await expect.poll(countPending).toBe(0);
    expect(seen.toSorted()).toEqual([...rows, ...later].map(({ id }) => id).toSorted());
  });

  it("limits concurrent deliveries per host, so that a hanging host does not delay others", async () => {
    let [hanging, maxHanging] = [0, 0];
    const worker = openWorker(async (delivery, { signal }) => {
      if (delivery.host === "hangs") {
        maxHanging = Math.max(maxHanging, ++hanging);
        await rejectOnAbort(signal).finally(() => hanging--);
      }
      await settle(delivery);
      return [];
    });
    await enqueueDue("hangs", 100);
    await enqueueDue("works", 150);
    const leasedDeliveries = await Promise.all(Array.from({ length: 40 }, () => insertLeased("hangs")));
    const waiting = leasedDeliveries.map((delivery) => worker.runNow(delivery, 20));
    worker.start();
    await expect.poll(countPending).toBe(140);
    const pendingRows = await forms.db.selectFrom("deliveries").select("host").where("state", "=", "pending").execute();
    expect([...new Set(pendingRows.map(({ host }) => host))]).toEqual(["hangs"]);
    expect(maxHanging).toBe(SLOTS_PER_HOST);
    await worker.stop(0);
    await Promise.all(waiting);
  });

  it("requeues a delivery that finds no slot in time, and sends it when one is free", async () => {
    const free = Promise.withResolvers<void>();
    const seen: string[] = [];
    const worker = openWorker(async (delivery) => {
      seen.push(delivery.id);
      if (seen.length <= SLOTS_PER_HOST) await free.promise;
      await settle(delivery);
      return [];
    });
    const holders = await Promise.all(Array.from({ length: SLOTS_PER_HOST }, () => insertLeased("a")));
    const running = holders.map((delivery) => worker.runNow(delivery, 1_000));
    const late = await insertLeased("a");
    await worker.runNow(late, 10);
    expect(seen).not.toContain(late.id);
    // Any process may now claim the delivery. The test claims it like another process and then returns it to the queue.
    const [claimed] = await queue.claim(1);
    expect(claimed).toMatchObject({ id: late.id, fence: 2 });
    if (claimed) await queue.requeue(claimed);
    free.resolve();
    await Promise.all(running);
    worker.start();
    await expect.poll(countPending).toBe(0);
    expect(seen).toContain(late.id);
  });

  it("continues with deliveries that an attempt unblocks, and runNow also waits for those", async () => {
    const [first, second, third] = [await insertLeased("a"), await insertLeased("b"), await insertLeased("c")];
    const seen: string[] = [];
    const worker = openWorker(async (delivery) => {
      seen.push(delivery.host);
      await settle(delivery);
      return delivery.host === "a" ? [second] : delivery.host === "b" ? [third] : [];
    });
    await worker.runNow(first, 1_000);
    expect([seen, await countPending()]).toEqual([["a", "b", "c"], 0]);
  });

  it("retries an attempt that could not be made", async () => {
    let failures = 2;
    const worker = openWorker(async (delivery) => {
      if (failures-- > 0) throw new Error("no room");
      await settle(delivery);
      return [];
    });
    const [row] = await enqueueDue("a");
    worker.start();
    await expect.poll(countPending).toBe(0);
    expect(failures).toBe(-1);
    const { attempts } = await forms.db
      .selectFrom("deliveries")
      .select("attempts")
      .where("id", "=", row?.id ?? "")
      .executeTakeFirstOrThrow();
    expect(attempts).toBe(1);
  });

  it("sends a delivery once although its lease expires and its outcome cannot be recorded at first", async () => {
    const outbox = createOutbox(forms.server.deps);
    let [sent, tries] = [0, 0];
    const answer = { status: 200, error: null, detail: null, response: "ok", retryAfterMs: 0 };
    const unavailable = () => new Error("timeout exceeded when trying to connect");
    outbox.register("submission", {
      open: async () => ({
        async send() {
          sent++;
          return answer;
        },
      }),
      async record(made) {
        if (++tries === 1) {
          await forms.db.updateTable("deliveries").set({ dueAt: 0 }).execute();
          outbox.worker.notify();
          throw unavailable();
        }
        await outbox.attempts.settle(forms.db, [made]);
        // Simulate a commit that succeeds although its caller gets an error.
        if (tries === 2) throw unavailable();
        return [];
      },
    });
    onTestFinished(() => outbox.worker.stop(0));
    const [row] = await enqueueDue("a");
    outbox.worker.start();
    await expect.poll(() => tries).toBe(3);
    const stored = forms.db
      .selectFrom("deliveries")
      .select(["state", "attempts"])
      .where("id", "=", row?.id ?? "");
    expect(await stored.execute()).toEqual([{ state: "delivered", attempts: 1 }]);
    expect(sent).toBe(1);
  });

  it("tries once more to record an outcome when it stops, so that the delivery is not sent again", async () => {
    const outbox = createOutbox(forms.server.deps);
    const answer = { status: 200, error: null, detail: null, response: "ok", retryAfterMs: 0 };
    let tries = 0;
    outbox.register("submission", {
      open: async () => ({ send: async () => answer }),
      async record(made) {
        // After the third failure, the worker waits 400 ms before it tries again.
        if (++tries <= 3) throw new Error("timeout exceeded when trying to connect");
        await outbox.attempts.settle(forms.db, [made]);
        return [];
      },
    });
    const [row] = await enqueueDue("a");
    outbox.worker.start();
    await expect.poll(() => tries).toBe(3);
    await outbox.worker.stop(0);
    const stored = forms.db
      .selectFrom("deliveries")
      .select(["state", "attempts"])
      .where("id", "=", row?.id ?? "");
    expect(await stored.execute()).toEqual([{ state: "delivered", attempts: 1 }]);
  });

  it("stops retrying an outcome that the database keeps rejecting, and records only the state of the delivery", async () => {
    const pauses: unknown[] = [];
    const outbox = createOutbox(forms.server.deps, async (ms) => void pauses.push(ms) as never);
    onTestFinished(() => outbox.worker.stop(0));
    const [row, deleted] = await enqueueDue("a", 2);
    const answer = { status: 200, error: null, detail: null, response: "ok", retryAfterMs: 0 };
    let tries = 0;
    outbox.register("submission", {
      open: async () => ({ send: async () => answer }),
      async record({ delivery }) {
        tries++;
        if (delivery.id === deleted?.id)
          await forms.db.deleteFrom("deliveries").where("id", "=", delivery.id).execute();
        throw new Error("violates a constraint");
      },
    });
    const claimed = await outbox.queue.claim(2);
    await Promise.all(claimed.map((delivery) => outbox.worker.runNow(delivery, 1_000)));
    expect([tries, pauses.length]).toEqual([16, 16]);
    const stored = await forms.db.selectFrom("deliveries").select(["id", "state", "attempts"]).execute();
    expect(stored).toEqual([{ id: row?.id, state: "delivered", attempts: 1 }]);
    for (const delivery of claimed) expect(outbox.queue.hold(delivery)).not.toBeNull();
  });

  it("delivers for an organization while four others make all the attempts that they can at receivers that never answer", async () => {
    const attempts = new Map<string, number>();
    const honest = Promise.withResolvers<void>();
    const worker = openWorker(({ organizationId }, { signal }) => {
      attempts.set(organizationId, (attempts.get(organizationId) ?? 0) + 1);
      if (organizationId === "org_honest") honest.resolve();
      return rejectOnAbort(signal);
    });
    const greedy = ["org_a", "org_b", "org_c", "org_d"];
    for (const organizationId of greedy) {
      for (let host = 0; host < 20; host++) await enqueueDue(`${organizationId}-${host}`, 16, { organizationId });
    }
    worker.start();
    await expect.poll(() => greedy.every((id) => (attempts.get(id) ?? 0) >= 100)).toBe(true);
    await enqueueDue("honest", 1, { organizationId: "org_honest" });
    worker.notify();
    await honest.promise;
    expect(Math.max(...greedy.map((id) => attempts.get(id) ?? 0))).toBeLessThanOrEqual(256);
  });

  it("sends an email while organizations use all the slots for other deliveries that they can", async () => {
    const mail = Promise.withResolvers<void>();
    const worker = openWorker(({ type }, { signal }) => {
      if (type === "email") mail.resolve();
      return rejectOnAbort(signal);
    });
    for (let host = 0; host < 20; host++) await enqueueDue(`slow-${host}`, 16, { organizationId: "org_greedy" });
    worker.start();
    await expect.poll(() => worker.countFreeSlots({ organizationId: "org_greedy", host: "new" })).toBe(0);
    await enqueueDue("mail", 1, { organizationId: "org_greedy", type: "email" });
    worker.notify();
    await mail.promise;
  });

  it("delivers to a host at which another organization uses its share of the slots", async () => {
    const honest = Promise.withResolvers<void>();
    const worker = openWorker(({ organizationId }, { signal }) => {
      if (organizationId === "org_honest") honest.resolve();
      return rejectOnAbort(signal);
    });
    await enqueueDue("shared", 100, { organizationId: "org_greedy" });
    worker.start();
    await expect.poll(() => worker.countFreeSlots({ organizationId: "org_greedy", host: "shared" })).toBe(0);
    await enqueueDue("shared", 1, { organizationId: "org_honest" });
    worker.notify();
    await honest.promise;
  });

  it("offers the free slots of a host to new deliveries, but none while other deliveries wait or the worker is stopped", async () => {
    const started = Promise.withResolvers<void>();
    const worker = openWorker((_, { signal }) => {
      started.resolve();
      return rejectOnAbort(signal);
    });
    const countFreeSlots = (host: string) => worker.countFreeSlots({ organizationId: "org_one", host });
    expect(countFreeSlots("a")).toBe(0);
    worker.start();
    expect(countFreeSlots("a")).toBe(16);
    worker.startAttempt(await insertLeased("a"));
    await started.promise;
    expect([countFreeSlots("a"), countFreeSlots("b")]).toEqual([15, 16]);
    await enqueueDue("a", 40);
    worker.notify();
    await expect.poll(() => countFreeSlots("a")).toBe(0);
    expect(countFreeSlots("b")).toBe(16);
    await worker.stop(0);
    expect(countFreeSlots("b")).toBe(0);
  });

  it("yields to other work while no attempt can be made", async () => {
    let tries = 0;
    const worker = openWorker(async () => {
      tries++;
      throw new Error("no room");
    });
    await enqueueDue("a", 40);
    worker.start();
    await expect.poll(() => tries).toBeGreaterThan(40);
    expect(tries).toBeLessThanOrEqual(80);
    expect(await countPending()).toBe(40);
  });

  it("stops by waiting for running attempts, requeuing slow ones and claiming nothing more", async () => {
    const started = Promise.withResolvers<void>();
    const ends = Promise.withResolvers<void>();
    let running = 0;
    const worker = openWorker(async (delivery, { signal }) => {
      if (++running === 3) started.resolve();
      await (delivery.host === "quick" ? ends.promise : rejectOnAbort(signal));
      await settle(delivery);
      return [];
    });
    const quick = await insertLeased("quick");
    const [slow, other] = [await insertLeased("slow"), await insertLeased("slow")];
    const all = [quick, slow, other].map((delivery) => worker.runNow(delivery, 1_000));
    worker.start();
    await started.promise;
    const stopped = worker.stop(50);
    await enqueueDue("late", 5);
    ends.resolve();
    await stopped;
    await Promise.all(all);
    const delivered = await forms.db.selectFrom("deliveries").select("id").where("state", "=", "delivered").execute();
    expect(delivered).toEqual([{ id: quick.id }]);
    const due = (await queue.claim(99)).map(({ host }) => host).toSorted();
    expect(due).toEqual(["late", "late", "late", "late", "late", "slow", "slow"]);
    expect(running).toBe(3);
    // A delivery that arrives now is returned to the queue immediately.
    const after = await insertLeased("quick");
    await worker.runNow(after, 1_000);
    expect((await queue.claim(99)).map(({ id }) => id)).toEqual([after.id]);
    expect(running).toBe(3);
  });
});

it("frees a host's slots while outcomes are being recorded, and claims nothing until half of them are free", async () => {
  const answered: Array<() => void> = [];
  const claims: Array<readonly string[]> = [];
  const delivery = { organizationId: "org_one", host: "a" } as LeasedDelivery;
  const claim = async (limit: number, { pairs }: Except) => {
    claims.push(pairs.map(({ host }) => host));
    return pairs.length > 0 ? [] : Array.from({ length: limit }, () => delivery);
  };
  const worker = createDeliveryWorker({
    queue: { leaseMs: LEASE, claim, hold: () => () => {}, requeue: async () => {} } as unknown as DeliveryQueue,
    // Never resolve, so that no outcome is recorded.
    run: async (_, { signal, onResponse }) => {
      answered.push(onResponse);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
    log,
    now: () => 0,
  });
  onTestFinished(() => worker.stop(0));
  const claimed = async () => {
    await new Promise(setImmediate);
    return [answered.length, claims.length];
  };
  worker.start();
  expect(await claimed()).toEqual([16, 2]);
  answered[0]?.();
  expect(await claimed()).toEqual([32, 3]);
  for (const onResponse of answered.slice(0, 16)) onResponse();
  expect(await claimed()).toEqual([32, 3]);
  answered[16]?.();
  expect(await claimed()).toEqual([48, 4]);
  // One claim skips the hosts. They are skipped again only after a notification.
  expect(claims).toEqual([[], ["a"], [], []]);
  worker.notify();
  expect(await claimed()).toEqual([48, 5]);
});

it("the delivery worker continues after a database outage", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let asked = 0;
  const claim = async () => {
    if (++asked === 1) throw new Error("gone");
    return [];
  };
  const worker = createDeliveryWorker({
    queue: { leaseMs: LEASE, claim } as unknown as DeliveryQueue,
    run: async () => [],
    log,
  });
  worker.start();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked).toBe(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toBe(3);
  await worker.stop(0);
});
