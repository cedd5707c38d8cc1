import { expect, it } from "vitest";
import { createHostSemaphore } from "./host-semaphore.ts";

const never = new AbortController().signal;
const one = { owner: "one", maxWaitMs: 60_000, signal: never };

it("the host semaphore limits slots per host and grants them in order", async () => {
  const places = createHostSemaphore({ size: 2 });
  const [first, second] = [await places.acquire("a", one), await places.acquire("a", one)];
  const got: string[] = [];
  const waiting = ["third", "fourth", "fifth"].map(async (name) => {
    const leave = await places.acquire("a", one);
    got.push(name);
    return leave;
  });
  expect(await places.acquire("b", one)).not.toBeNull();
  expect(got).toEqual([]);
  second?.();
  const third = await waiting[0];
  expect(got).toEqual(["third"]);
  first?.();
  third?.();
  await Promise.all(waiting);
  expect(got).toEqual(["third", "fourth", "fifth"]);
});

it("the host semaphore reports which hosts are saturated and removes idle hosts", async () => {
  const places = createHostSemaphore({ size: 3 });
  const leaves = [];
  for (const host of ["a", "a", "a", "b"]) leaves.push(await places.acquire(host, one));
  const [a, b] = [
    { host: "a", owner: "one" },
    { host: "b", owner: "one" },
  ];
  expect([places.busyHosts(1), places.busyHosts(3), places.busyHosts(4)]).toEqual([[a, b], [a], []]);
  expect(places.fullHosts()).toEqual(["a"]);
  for (const leave of leaves) leave?.();
  expect([places.busyHosts(0), places.fullHosts()]).toEqual([[], []]);
});

it("the host semaphore grants no slot after the maximum wait, and does not count the expired request later", async () => {
  const places = createHostSemaphore({ size: 1 });
  const first = await places.acquire("a", one);
  const patient = places.acquire("a", one);
  expect(await places.acquire("a", { ...one, maxWaitMs: 10 })).toBeNull();
  first?.();
  const leave = await patient;
  expect(leave).not.toBeNull();
  expect(places.fullHosts()).toEqual(["a"]);
  leave?.();
  expect(places.fullHosts()).toEqual([]);
});

it("the host semaphore grants no slot after an abort before or during the wait", async () => {
  const places = createHostSemaphore({ size: 1 });
  const stop = new AbortController();
  const first = await places.acquire("a", one);
  const waiting = places.acquire("a", { ...one, signal: stop.signal });
  stop.abort();
  expect([await waiting, await places.acquire("b", { ...one, signal: stop.signal })]).toEqual([null, null]);
  first?.();
  expect(places.fullHosts()).toEqual([]);
});

it("the host semaphore leaves slots at a host to the next organization, and lets organizations take turns", async () => {
  const places = createHostSemaphore({ size: 8 });
  const turns: string[] = [];
  const call = async (owner: string) => {
    const leave = await places.acquire("a", { ...one, owner });
    turns.push(owner);
    return leave;
  };
  const greedy = Array.from({ length: 40 }, () => call("greedy"));
  expect(places.inUse("a", "greedy")).toBe(6);
  const honest = Array.from({ length: 2 }, () => call("honest"));
  expect(places.inUse("a", "honest")).toBe(2);
  await Promise.all([...greedy, ...honest].map(async (calling) => (await calling)?.()));
  expect(turns).toHaveLength(42);
});
