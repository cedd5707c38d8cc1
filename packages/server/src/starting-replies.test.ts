import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { waitForStartingReplies, whileReplyStarts } from "./starting-replies.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

it("work in the background waits until every reply that is starting has started", async () => {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const starts = [first, second].map(({ promise }) => whileReplyStarts(() => promise));
  const order: string[] = [];
  const background = waitForStartingReplies().then(() => order.push("background"));
  first.resolve();
  await starts[0];
  order.push("first");
  second.resolve();
  await starts[1];
  await background;
  expect(order).toEqual(["first", "background"]);
  expect(vi.getTimerCount()).toBe(0);
});

it("work in the background begins in one turn of the event loop each", async () => {
  let turn = 0;
  let next = setImmediate(function count() {
    turn++;
    next = setImmediate(count);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  const start = whileReplyStarts(() => promise);
  const turns = [1, 2, 3].map(() => waitForStartingReplies().then(() => turn));
  resolve();
  await start;
  expect(new Set(await Promise.all(turns)).size).toBe(3);
  clearImmediate(next);
});

it("work in the background continues after 50 ms even if a reply is still starting", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const start = whileReplyStarts(() => promise);
  let hasContinued = false;
  const background = waitForStartingReplies().then(() => {
    hasContinued = true;
  });
  await vi.advanceTimersByTimeAsync(49);
  expect(hasContinued).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await background;
  resolve();
  await start;
});

it("work in the background that has waited for something else waits that much less for a reply", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const start = whileReplyStarts(() => promise);
  let hasContinued = false;
  const background = waitForStartingReplies(30).then(() => {
    hasContinued = true;
  });
  await vi.advanceTimersByTimeAsync(19);
  expect(hasContinued).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await background;
  resolve();
  await start;
});
