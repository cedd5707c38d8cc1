import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { type FormClient, openForms } from "../../../../test/form-client.ts";
import { openDatabase } from "../db/open.ts";
import { newId } from "../ids.ts";
import {
  createDeliveryQueue,
  type DeliveryQueue,
  type Except,
  type LeasedDelivery,
  type NewDelivery,
  type Next,
  nothing,
} from "./delivery-queue.ts";
import { recordSentHosts } from "./sent-hosts.ts";

const LEASE = 60_000;

onBothDatabases("the delivery queue", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  let queue: DeliveryQueue;
  let submissionId: string;
  let position = 0;
  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database });
    submissionId = (await forms.submit((await forms.createForm()).id)).body.submissionId;
    // The server's own worker would claim the deliveries of these tests.
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

  async function put(dueInMs: number, more: Partial<NewDelivery> = {}): Promise<string> {
    const id = newId("delivery");
    const references = { kind: "submission", webhookId: null, eventId: null } as const;
    const fixed = { ...references, purpose: "action", type: "webhook", target: "{}", state: "pending" } as const;
    const counts = { attempts: 0, attemptsBefore: 0, fence: 1, createdAt: 1 };
    const organizationId = "org_one";
    const row = { id, organizationId, submissionId, position: position++, host: "a", ...fixed, ...counts, ...more };
    await queue.insert(forms.db, [row], dueInMs);
    return id;
  }
  const claim = async (limit = 100, except?: Except) => (await queue.claim(limit, except)).map(({ id }) => id);
  const readDelivery = (id: string) =>
    forms.db.selectFrom("deliveries").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  /** @returns the number of the attempt, or null if the lease was lost */
  const settle = async (delivery: LeasedDelivery | undefined, next: Next) => {
    if (!delivery) throw new Error("not claimed");
    return (await queue.settle(forms.db, [{ delivery, next }])).get(delivery.id) ?? null;
  };
  const expireLease = (id: string) =>
    forms.db
      .updateTable("deliveries")
      .set({ dueAt: sql`"dueAt" - ${LEASE}` })
      .where("id", "=", id)
      .execute();

  it("claims due deliveries oldest first, and none before it is due", async () => {
    const [late, early, between] = [await put(-1_000), await put(-3_000), await put(-2_000)];
    await put(30_000);
    expect([await claim(1), await claim(1), await claim(1), await claim(1)]).toEqual([[early], [between], [late], []]);
  });

  it("claims a delivery only once while its lease lasts, and lets any process claim it after that", async () => {
    const id = await put(-1);
    const [first] = await queue.claim(9);
    expect(first).toMatchObject({ id, fence: 2 });
    expect(await claim()).toEqual([]);
    await expireLease(id);
    const [second] = await queue.claim(9);
    expect(second).toMatchObject({ id, fence: 3 });
  });

  it("leases new deliveries to the process that enqueued them", async () => {
    const id = newId("delivery");
    const fixed = { purpose: "action", type: "webhook", target: "{}", state: "pending", host: "a" } as const;
    const row = {
      id,
      kind: "submission" as const,
      webhookId: null,
      eventId: null,
      organizationId: "org_one",
      submissionId,
      position: position++,
      ...fixed,
      attempts: 0,
      attemptsBefore: 0,
      fence: 1,
      createdAt: 1,
    };
    await queue.insert(forms.db, [row]);
    expect(await claim()).toEqual([]);
    await expireLease(id);
    expect(await claim()).toEqual([id]);
  });

  it("accepts an outcome only under the newest lease", async () => {
    const id = await put(-1);
    const [stale] = await queue.claim(1);
    await expireLease(id);
    const [current] = await queue.claim(1);
    if (!stale || !current) throw new Error("not claimed");
    expect(await settle(stale, { state: "delivered" })).toBeNull();
    await queue.requeue(stale);
    expect(await claim()).toEqual([]);
    expect(await readDelivery(id)).toMatchObject({ state: "pending", attempts: 0 });
    expect(await settle(current, { state: "pending", waitMs: 40_000 })).toBe(1);
    expect(await readDelivery(id)).toMatchObject({ state: "pending", attempts: 1 });
    expect(await claim()).toEqual([]);
    // Simulate a commit that succeeded although its caller got an error and repeats it.
    expect(await settle(current, { state: "pending", waitMs: 0 })).toBeNull();
    expect(await claim()).toEqual([]);
    const again = { ...current, attempts: 1 };
    expect(await settle(again, { state: "failed" })).toBe(2);
    expect(await settle(again, { state: "delivered" })).toBeNull();
    expect(await readDelivery(id)).toMatchObject({ state: "failed", attempts: 2 });
  });

  it("neither claims nor retries a delivery that this process holds under an expired lease", async () => {
    const id = await put(-1);
    const [first] = await queue.claim(1);
    if (!first) throw new Error("not claimed");
    const unhold = queue.hold(first);
    await expireLease(id);
    expect(await claim()).toEqual([]);
    expect(await queue.retry(forms.db, first, { target: "{}", host: "a" })).toEqual([]);
    expect(queue.hold({ ...first, fence: 3 })).toBeNull();
    expect(await settle(first, { state: "pending", waitMs: -1 })).toBe(1);
    // The next attempt is a different one, even if this process has not released the previous one.
    const [second] = await queue.claim(1);
    expect(second).toMatchObject({ id, attempts: 1, fence: 3 });
    const letGoAgain = second && queue.hold(second);
    unhold?.();
    await expireLease(id);
    expect(await claim()).toEqual([]);
    letGoAgain?.();
    expect(await claim()).toEqual([id]);
  });

  it("renews the leases of held deliveries, and no others", async () => {
    const [held, left, returned] = [await put(-3), await put(-2), await put(-1)];
    const claimed = await queue.claim(3);
    const unholdFunctions = claimed.filter(({ id }) => id !== left).map((delivery) => queue.hold(delivery));
    const last = claimed.find(({ id }) => id === returned);
    if (last) await queue.requeue(last);
    await Promise.all([held, left].map(expireLease));
    await queue.renew();
    for (const release of unholdFunctions) release?.();
    expect((await claim()).toSorted()).toEqual([left, returned].toSorted());
    await expireLease(held);
    expect(await claim()).toEqual([held]);
  });

  it("makes a requeued delivery available immediately, but not a completed one", async () => {
    const id = await put(-1);
    const [held] = await queue.claim(1);
    if (!held) throw new Error("not claimed");
    await queue.requeue(held);
    expect(await claim()).toEqual([id]);
    const again = await readDelivery(id);
    await queue.requeue(again, 30_000);
    expect(await claim()).toEqual([]);
    await settle(again, { state: "delivered" });
    await queue.requeue(again);
    expect([await claim(), (await readDelivery(id)).state]).toEqual([[], "delivered"]);
  });

  it("skips excluded hosts", async () => {
    const [a, b, c] = [await put(-3, { host: "a" }), await put(-2, { host: "b" }), await put(-1, { host: "c" })];
    expect(await claim(9, { ...nothing, hosts: ["a", "c"] })).toEqual([b]);
    expect((await claim(9)).toSorted()).toEqual([a, c].toSorted());
  });
  it("leaves deliveries of organizations in the queue, except their emails, and those of an organization to a host", async () => {
    const [busy, mail, pair, other] = [
      await put(-4, { organizationId: "org_a" }),
      await put(-3, { organizationId: "org_a", type: "email" }),
      await put(-2, { organizationId: "org_b", host: "slow" }),
      await put(-1, { organizationId: "org_c", host: "slow" }),
    ];
    const pairs = [{ owner: "org_b", host: "slow" }];
    expect(await claim(9, { ...nothing, allButMail: true })).toEqual([mail]);
    expect(await claim(9, { ...nothing, organizations: ["org_a"], pairs })).toEqual([other]);
    expect((await claim(9)).toSorted()).toEqual([busy, pair].toSorted());
  });

  it("does not claim waiting deliveries until they are released, and leases them to the process that releases them", async () => {
    const waiting = await put(-1, { state: "waiting" });
    const later = await put(-1, { state: "waiting" });
    const confirmation = await put(-1, { state: "waiting", purpose: "confirmation" });
    expect(await claim()).toEqual([]);
    const release = async () => (await queue.releaseWaiting(forms.db, [submissionId])).map(({ id }) => id);
    expect((await release()).toSorted()).toEqual([waiting, confirmation].toSorted());
    expect(await release()).toEqual([later]);
    expect(await release()).toEqual([]);
    await forms.db.deleteFrom("deliveries").where("id", "in", [later, confirmation]).execute();
    expect(await claim()).toEqual([]);
    await expireLease(waiting);
    expect(await claim()).toEqual([waiting]);
  });

  it("retries a delivery at a new address only when no worker is sending it", async () => {
    const id = await put(-1, { attempts: 5 });
    const [held] = await queue.claim(1);
    if (!held) throw new Error("not claimed");
    const retry = async () => queue.retry(forms.db, await readDelivery(id), { target: '{"url":"x"}', host: "x" });
    expect(await retry()).toEqual([]);
    expect(await settle(held, { state: "pending", waitMs: 60_000 })).toBe(6);
    const [retried] = await retry();
    const expected = { state: "pending", attempts: 6, attemptsBefore: 6, target: '{"url":"x"}', host: "x" };
    expect(retried).toMatchObject({ id, ...expected, fence: held.fence + 1 });
    expect([await claim(), await retry()]).toEqual([[], []]);
    expect(await settle(retried, { state: "delivered" })).toBe(7);
  });

  it("retries a delivery whose worker has died, after its lease ended", async () => {
    const id = await put(-1);
    const [held] = await queue.claim(1);
    await expireLease(id);
    const [retried] = await queue.retry(forms.db, await readDelivery(id), { target: '{"url":"x"}', host: "x" });
    expect(retried).toMatchObject({ id, fence: (held?.fence ?? 0) + 1 });
    expect(held && (await settle(held, { state: "failed" }))).toBeNull();
  });

  it("leases a delivery to only one of two concurrent retry requests", async () => {
    const read = await readDelivery(await put(-1, { state: "failed" }));
    const address = { target: '{"url":"x"}', host: "x" };
    const retried = await Promise.all([1, 2].map(() => queue.retry(forms.db, read, address)));
    expect(retried.flat()).toMatchObject([{ id: read.id, state: "pending", fence: read.fence + 1 }]);
  });

  it("records who received a submission before it is retried at another host", async () => {
    await forms.db.deleteFrom("sentHosts").execute();
    const failed = { state: "failed", attempts: 1 } as const;
    const ids = [await put(-1, { ...failed, host: "old-1" }), await put(-1, { ...failed, host: "old-2" })];
    const unchanged = await put(-1, { ...failed, host: "same" });
    const unsent = await put(-1, { state: "failed", host: "never" });
    const mailed = await put(-1, { ...failed, host: "mail", type: "email" });
    const userId = await forms.addMember("member", "member@shop.example");
    const mail = { ...failed, host: "mail", type: "email" } as const;
    const corrected = [
      await put(-1, { ...mail, target: '{"to":["old@shop.example"]}' }),
      await put(-1, { ...mail, target: JSON.stringify({ recipientIds: [userId] }) }),
      await put(-1, { ...mail, target: '{"to":["visitor@example.com"]}', purpose: "confirmation" }),
    ];
    const [first = "", second = ""] = ids;
    await queue.retry(forms.db, await readDelivery(first), { target: "{}", host: "new" });
    const moved = { target: "{}", host: "new" };
    const retried = await queue.retryFailed(forms.db, [
      { ...moved, id: second, previous: { target: "{}", host: "old-2" } },
      { ...moved, id: unchanged, host: "same", previous: { target: "{}", host: "same" } },
      { ...moved, id: unsent, previous: { target: "{}", host: "never" } },
      { ...moved, id: mailed, previous: { target: "{}", host: "mail" } },
      ...corrected.map((id) => ({
        id,
        host: "mail",
        target: '{"to":["new@shop.example"]}',
        previous: { target: "{}", host: "mail" },
      })),
    ]);
    expect(retried.size).toBe(7);
    const kept = forms.db.selectFrom("sentHosts").select("host").where("submissionId", "=", submissionId);
    expect((await kept.execute()).map(({ host }) => host).toSorted()).toEqual([
      "member@shop.example",
      "old-1",
      "old-2",
      "old@shop.example",
    ]);
  });

  it("treats a leased delivery as possibly sent, unless it waits for the webhook", async () => {
    const ids = await Promise.all([
      put(-1, { host: "leased" }),
      put(-1, { host: "waiting", state: "waiting" }),
      put(-1, { host: "returned" }),
    ]);
    await forms.db.updateTable("deliveries").set({ isLeased: 1 }).where("host", "<>", "returned").execute();
    await forms.db.deleteFrom("sentHosts").execute();
    await recordSentHosts(forms.server.deps, forms.db, { column: "id", ids });
    const kept = await forms.db.selectFrom("sentHosts").select(["submissionId", "host"]).execute();
    expect(kept).toEqual([{ submissionId, host: "leased" }]);
  });

  it("gives each delivery to only one of several concurrent claims", async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 60; i++) ids.add(await put(-1));
    const other = openDatabase(database.address, () => {});
    const queues = [queue, createDeliveryQueue({ db: other.db, databaseKind: other.kind }, LEASE)];
    const claimed: string[] = [];
    for (let round = 0; round < 20 && claimed.length < ids.size; round++) {
      const batches = await Promise.all([...queues, ...queues].map((one) => one.claim(7)));
      claimed.push(...batches.flat().map(({ id }) => id));
    }
    await other.db.destroy();
    expect(claimed.toSorted()).toEqual([...ids].toSorted());
  });
});
