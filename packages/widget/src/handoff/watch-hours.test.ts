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
  vi.unstubAllGlobals();
});

it("a waiting visitor sees the office hours as they are when the wait begins, the office opens, and the visitor returns", async () => {
  const store = createStore({ ownership: { handler: "agent" } });
  let answer: object = { isOpen: false, opensAt: "2026-03-02T08:00:00.000Z" };
  const request = vi.fn(async () => Response.json({ data: { handoff: answer } }));
  const seen: unknown[] = [];
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
