import { expect, it } from "vitest";
import { createHostSemaphore } from "./host-semaphore.ts";

const never = new AbortController().signal;
const LONG = 60_000;

it("the host semaphore limits slots per host and grants them in order", async () => {
  const places = createHostSemaphore(2);
  const [first, second] = [await places.acquire("a", LONG, never), await places.acquire("a", LONG, never)];
  const got: string[] = [];
  const waiting = ["third", "fourth", "fifth"].map(async (name) => {
    const leave = await places.acquire("a", LONG, never);
    got.push(name);
    return leave;
  });
  expect(await places.acquire("b", LONG, never)).not.toBeNull();
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
  const places = createHostSemaphore(3);
  const leaves = [];
  for (const host of ["a", "a", "a", "b"]) leaves.push(await places.acquire(host, LONG, never));
  expect([places.hostsWithAtLeast(1), places.hostsWithAtLeast(3), places.hostsWithAtLeast(4)]).toEqual([
    ["a", "b"],
    ["a"],
    [],
  ]);
  for (const leave of leaves) leave?.();
  expect(places.hostsWithAtLeast(0)).toEqual([]);
});

it("the host semaphore grants no slot after the maximum wait, and does not count the expired request later", async () => {
  const places = createHostSemaphore(1);
  const first = await places.acquire("a", LONG, never);
  const patient = places.acquire("a", LONG, never);
  expect(await places.acquire("a", 10, never)).toBeNull();
  first?.();
  const leave = await patient;
  expect(leave).not.toBeNull();
  expect(places.hostsWithAtLeast(1)).toEqual(["a"]);
  leave?.();
  expect(places.hostsWithAtLeast(0)).toEqual([]);
});

it("the host semaphore grants no slot after an abort before or during the wait", async () => {
  const places = createHostSemaphore(1);
  const stop = new AbortController();
  const first = await places.acquire("a", LONG, never);
  const waiting = places.acquire("a", LONG, stop.signal);
  stop.abort();
  expect([await waiting, await places.acquire("b", LONG, stop.signal)]).toEqual([null, null]);
  first?.();
  expect(places.hostsWithAtLeast(0)).toEqual([]);
});
