import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createStore } from "../store.ts";
import { watchHours } from "./watch-hours.ts";

let page: EventTarget;
let life: AbortController;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-03-02T07:00:00.000Z") });
  page = new EventTarget();
  life = new AbortController();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("document", { hidden: false });
  vi.stubGlobal("requestAnimationFrame", queueMicrotask);
});
afterEach(() => {
  life.abort();
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("the pages of visitors who wait for the office to open do not all ask at the same time", async () => {
  const store = createStore({ ownership: { handler: "waiting" } });
  const closed = { isOpen: false, opensAt: "2026-03-02T08:00:00.000Z" };
  const open = { isOpen: true, opensAt: null };
  const pages = [0, 0.25, 0.75].map((random) => {
    vi.spyOn(Math, "random").mockReturnValueOnce(random);
    const answer = () => (Date.now() < Date.parse(closed.opensAt) ? closed : open);
    const request = vi.fn(async () => Response.json({ data: { handoff: answer() } }));
    watchHours({ core: { agent: { id: "agent_1" } }, request, chat: { store } } as never, () => {}, life.signal);
    return request;
  });
  const asked = () => pages.map((request) => request.mock.calls.length - 1);
  await vi.advanceTimersByTimeAsync(3_601_000);
  expect(asked()).toEqual([1, 0, 0]);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(asked()).toEqual([1, 1, 0]);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(asked()).toEqual([1, 1, 1]);
});

it("a waiting visitor sees the office hours as they are when the wait begins, the office opens, and the visitor returns", async () => {
  const store = createStore({ ownership: { handler: "agent" } });
  let answer: object = { isOpen: false, opensAt: "2026-03-02T08:00:00.000Z" };
  const request = vi.fn(async () => Response.json({ data: { handoff: answer } }));
  const seen: unknown[] = [];
  vi.spyOn(Math, "random").mockReturnValue(0);
  const panel = { core: { agent: { id: "agent_1" } }, request, chat: { store } };
  watchHours(panel as never, (settings) => seen.push(settings), life.signal);
  const settle = () => vi.advanceTimersByTimeAsync(0);
  await settle();
  expect(request).not.toHaveBeenCalled();

  store.set({ ownership: { handler: "waiting" } });
  await settle();
  expect(seen).toEqual([answer]);
  answer = { isOpen: true, opensAt: null };
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(seen).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(seen.at(-1)).toEqual(answer);

  page.dispatchEvent(new Event("visibilitychange"));
  await settle();
  expect(seen).toHaveLength(3);
  store.set({ ownership: { handler: "human" } });
  await settle();
  page.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(86_400_000);
  expect(seen).toHaveLength(3);
});
