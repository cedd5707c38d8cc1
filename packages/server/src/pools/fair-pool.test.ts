import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import { createFairPool, type FairPool } from "./fair-pool.ts";
import { addPoolMetrics } from "./pool-metrics.ts";

const takeAll = (pool: FairPool, owner: string, address: string | null = null) => {
  const releases = [];
  for (let release = pool.tryEnter({ owner, address }); release; release = pool.tryEnter({ owner, address })) {
    releases.push(release);
  }
  return releases;
};

describe("a fair pool", () => {
  it("gives one owner at most a quarter of its slots", () => {
    const pool = createFairPool({ name: "test", size: 64 });
    expect(takeAll(pool, "greedy")).toHaveLength(16);
  });

  it("has a free slot for the next owner while six greedy owners hold all that they can", () => {
    const pool = createFairPool({ name: "test", size: 32 });
    const shares = Array.from({ length: 6 }, (_, index) => takeAll(pool, `greedy ${index}`).length);
    expect(shares).toEqual([8, 8, 8, 4, 2, 1]);
    expect(pool.tryEnter({ owner: "honest" })).not.toBeNull();
  });

  it("gives slots that become free to an owner without any, not to those above their share", () => {
    const pool = createFairPool({ name: "test", size: 8 });
    const first = takeAll(pool, "greedy 0");
    for (let index = 1; index < 8; index++) takeAll(pool, `greedy ${index}`);
    expect(pool.inUse()).toBe(8);
    first[0]?.();
    expect(pool.tryEnter({ owner: "greedy 0" })).toBeNull();
    expect(pool.tryEnter({ owner: "honest" })).not.toBeNull();
  });

  it.each([
    [1, 1],
    [2, 1],
    [8, 4],
    [64, 32],
  ])("with %i slots and no limit per owner, gives one owner %i of them", (size, expected) => {
    const pool = createFairPool({ name: "test", size, maxPerOwner: size });
    expect(takeAll(pool, "greedy")).toHaveLength(expected);
  });

  it.each([
    [1, 1],
    [3, 3],
    [64, 48],
  ])("with %i slots and a factor of 3, gives one owner %i of them", (size, expected) => {
    const pool = createFairPool({ name: "test", size, maxPerOwner: size, freeFactor: 3 });
    expect(takeAll(pool, "greedy")).toHaveLength(expected);
  });

  it("counts the slots that an owner can take", () => {
    for (const freeFactor of [1, 3]) {
      for (let size = 1; size <= 40; size++) {
        const pool = createFairPool({ name: "test", size, maxPerOwner: size, freeFactor });
        takeAll(pool, "greedy");
        const room = pool.countRoom("next");
        expect(takeAll(pool, "next")).toHaveLength(room);
      }
    }
  });

  it("has no limit when its size is 0", () => {
    const pool = createFairPool({ name: "test", size: 0 });
    for (let count = 0; count < 10_000; count++) pool.enter({ owner: "any" });
    expect(pool.inUse("any")).toBe(10_000);
  });

  it("refuses an address that has its share, with 429, and serves another one", () => {
    const messages = { busy: "Busy.", address: "Too many from your address." };
    const pool = createFairPool({ name: "test", size: 64, maxPerAddress: 3, messages });
    expect(takeAll(pool, "owner", "192.0.2.1")).toHaveLength(3);
    expect(() => pool.enter({ owner: "owner", address: "192.0.2.1" })).toThrow(
      expect.objectContaining({ code: "RATE_LIMITED", message: messages.address, limit: 3 }),
    );
    expect(pool.tryEnter({ owner: "owner", address: "192.0.2.2" })).not.toBeNull();
  });

  it("refuses an owner without room with 503", () => {
    const pool = createFairPool({ name: "test", size: 4, messages: { busy: "Busy." } });
    takeAll(pool, "greedy");
    expect(() => pool.enter({ owner: "greedy" })).toThrow(
      expect.objectContaining({ code: "OVERLOADED", message: "Busy.", retryAfter: 5 }),
    );
  });

  it("does not free a slot twice", () => {
    const pool = createFairPool({ name: "test", size: 8, maxPerOwner: 8 });
    const [first] = takeAll(pool, "greedy");
    first?.();
    first?.();
    expect(pool.inUse()).toBe(3);
  });

  it.each([
    [10, 4],
    [16, 3],
    [49, 0],
  ])("counts weights: of 64 slots, one owner takes %i at a time %s times", (weight, expected) => {
    const pool = createFairPool({ name: "test", size: 64, maxPerOwner: 64, freeFactor: 3 });
    const taken = [];
    for (let release = pool.tryEnter({ owner: "one", weight }); release; ) {
      taken.push(release);
      release = pool.tryEnter({ owner: "one", weight });
    }
    expect(taken).toHaveLength(expected);
  });

  it("frees the weight that a caller has taken", () => {
    const pool = createFairPool({ name: "test", size: 64 });
    pool.enter({ owner: "one", weight: 10 })();
    expect(pool.inUse()).toBe(0);
  });

  it("refuses a weight that is more than the rest of an address's share", () => {
    const pool = createFairPool({ name: "test", size: 64, maxPerAddress: 10 });
    pool.enter({ owner: "one", address: "192.0.2.1", weight: 6 });
    expect(pool.mayEnter({ owner: "one", address: "192.0.2.1", weight: 5 })).toBe(false);
  });
});

describe("the queues of a fair pool", () => {
  it("starts several light callers after one heavy caller has left", async () => {
    const pool = createFairPool({ name: "test", size: 8, maxPerOwner: 8, freeFactor: 7, maxWaitingPerOwner: 100 });
    const release = await pool.acquire({ owner: "one", weight: 6 });
    const light = [1, 2, 3].map(() => pool.acquire({ owner: "one", weight: 2 }));
    release();
    await Promise.all(light);
    expect(pool.inUse("one")).toBe(6);
  });

  const createQueuingPool = (options = {}) =>
    createFairPool({ name: "test", size: 1, maxWaitingPerOwner: 100, ...options });

  /** Runs the work of each caller to its end, one after the other, and returns the owners in the order of their turns. */
  async function runAll(pool: FairPool, owners: string[]): Promise<string[]> {
    const turns: string[] = [];
    await Promise.all(owners.map((owner) => pool.run({ owner }, async () => void turns.push(owner))));
    return turns;
  }

  it("lets owners take turns, so an honest owner waits for one caller of each greedy owner", async () => {
    const greedy = Array.from({ length: 40 }, (_, index) => `greedy ${index % 4}`);
    const turns = await runAll(createQueuingPool(), [...greedy, "honest"]);
    expect(turns.indexOf("honest")).toBeLessThanOrEqual(5);
  });

  it("keeps the order of one owner's callers", async () => {
    const pool = createQueuingPool();
    const done: number[] = [];
    await Promise.all([1, 2, 3, 4].map((n) => pool.run({ owner: "one" }, async () => void done.push(n))));
    expect(done).toEqual([1, 2, 3, 4]);
  });

  it("rejects a caller whose owner has too many callers waiting, and lets another owner wait", async () => {
    const pool = createQueuingPool({ maxWaitingPerOwner: 2 });
    const release = await pool.acquire({ owner: "greedy" });
    const waiting = [pool.acquire({ owner: "greedy" }), pool.acquire({ owner: "greedy" })];
    await expect(pool.acquire({ owner: "greedy" })).rejects.toMatchObject({ code: "OVERLOADED" });
    const honest = pool.acquire({ owner: "honest" });
    release();
    await Promise.all([...waiting, honest].map(async (next) => (await next)()));
    expect(pool.stats()).toEqual({ inUse: 0, waiting: 0, refused: 1, largestShare: 0 });
  });

  it("forgets a caller that stops waiting", async () => {
    const pool = createQueuingPool();
    const release = await pool.acquire({ owner: "one" });
    const controller = new AbortController();
    const waiting = pool.acquire({ owner: "one" }, controller.signal);
    controller.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    release();
    expect(pool.stats()).toMatchObject({ inUse: 0, waiting: 0 });
  });

  it("passes over a caller whose address has its share", async () => {
    const pool = createQueuingPool({ size: 8, maxPerOwner: 2, maxPerAddress: 1 });
    const first = await pool.acquire({ owner: "one", address: "192.0.2.1" });
    const second = await pool.acquire({ owner: "one", address: "192.0.2.2" });
    const blocked = pool.acquire({ owner: "one", address: "192.0.2.1" });
    const other = pool.acquire({ owner: "one", address: "192.0.2.3" });
    second();
    (await other)();
    first();
    await expect(blocked).resolves.toBeTypeOf("function");
  });

  it("frees the slot of work that fails", async () => {
    const pool = createQueuingPool();
    await expect(pool.run({ owner: "one" }, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    expect(pool.inUse()).toBe(0);
  });
});

describe("the metrics of pools", () => {
  it("show the size, use, queue, largest share and rejections of every pool", async () => {
    const pool = createFairPool({ name: "measured", size: 8, maxWaitingPerOwner: 1 });
    takeAll(pool, "greedy");
    pool.enter({ owner: "honest" });
    const controller = new AbortController();
    const waiting = pool.acquire({ owner: "greedy" }, controller.signal);
    await expect(pool.acquire({ owner: "greedy" })).rejects.toThrow();
    const registry = new Registry();
    addPoolMetrics(registry);
    const text = await registry.metrics();
    controller.abort(new Error("done"));
    await expect(waiting).rejects.toThrow("done");
    const values = Object.fromEntries(
      [...text.matchAll(/^foyer_pool_(\w+)\{pool="measured"\} (\S+)$/gm)].map(([, name, value]) => [name, value]),
    );
    expect(values).toEqual({ size: "8", in_use: "3", waiting: "1", largest_share: "2", refused_total: "1" });
  });

  it("show a pool that is in use after garbage collection", async () => {
    const pool = createFairPool({ name: "long lived", size: 8 });
    await collectGarbage();
    pool.enter({ owner: "one" });
    const registry = new Registry();
    addPoolMetrics(registry);
    expect(await registry.metrics()).toContain('foyer_pool_in_use{pool="long lived"} 1');
  });
});

/** Weak references are cleared only between turns of the event loop. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString("--expose-gc");
  await wait(0);
  runInNewContext("gc")();
}
