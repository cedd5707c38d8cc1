import { expect, it } from "vitest";
import { createHostPlaces } from "./host-semaphore.ts";

const never = new AbortController().signal;
const LONG = 60_000;

it("has so many places a host, and hands them on in order", async () => {
  const places = createHostPlaces(2);
  const [first, second] = [await places.take("a", LONG, never), await places.take("a", LONG, never)];
  const got: string[] = [];
  const waiting = ["third", "fourth", "fifth"].map(async (name) => {
    const leave = await places.take("a", LONG, never);
    got.push(name);
    return leave;
  });
  expect(await places.take("b", LONG, never)).not.toBeNull();
  expect(got).toEqual([]);
  second?.();
  const third = await waiting[0];
  expect(got).toEqual(["third"]);
  first?.();
  third?.();
  await Promise.all(waiting);
  expect(got).toEqual(["third", "fourth", "fifth"]);
});

it("knows who is busy, and forgets who is not", async () => {
  const places = createHostPlaces(3);
  const leaves = [];
  for (const host of ["a", "a", "a", "b"]) leaves.push(await places.take(host, LONG, never));
  expect([places.busy(1), places.busy(3), places.busy(4)]).toEqual([["a", "b"], ["a"], []]);
  for (const leave of leaves) leave?.();
  expect(places.busy(0)).toEqual([]);
});

it("has nothing for who waited long enough, and does not count them later", async () => {
  const places = createHostPlaces(1);
  const first = await places.take("a", LONG, never);
  const patient = places.take("a", LONG, never);
  expect(await places.take("a", 10, never)).toBeNull();
  first?.();
  const leave = await patient;
  expect(leave).not.toBeNull();
  expect(places.busy(1)).toEqual(["a"]);
  leave?.();
  expect(places.busy(0)).toEqual([]);
});

it("has nothing for who was told to stop, before or while waiting", async () => {
  const places = createHostPlaces(1);
  const stop = new AbortController();
  const first = await places.take("a", LONG, never);
  const waiting = places.take("a", LONG, stop.signal);
  stop.abort();
  expect([await waiting, await places.take("b", LONG, stop.signal)]).toEqual([null, null]);
  first?.();
  expect(places.busy(0)).toEqual([]);
});
