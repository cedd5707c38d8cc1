import type { WidgetTrigger } from "@foyer/contract";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { WidgetCore } from "../../loader/widget-core.ts";
import { createTriggerReports } from "./trigger-reports.ts";

const trigger = { id: "trigger_1", name: "Welcome", triggerType: "page_view", actionType: "show_bubble" };
type Sent = { headers: Record<string, string>; body: string; keepalive: boolean; credentials: string };

let answers: Array<Response | Error>;
let sent: Array<{ key: string; eventType: string; at: number }>;
let kept: Map<string, unknown>;
let life: AbortController;
let target: EventTarget;

beforeEach(() => {
  vi.useFakeTimers();
  [answers, sent, kept, life, target] = [[], [], new Map(), new AbortController(), new EventTarget()];
  vi.stubGlobal("addEventListener", target.addEventListener.bind(target));
  vi.stubGlobal("location", { pathname: "/pricing" });
  // A page may replace it after the widget has started.
  vi.stubGlobal("fetch", () => {
    throw new Error("The page's own fetch");
  });
  start = Date.now();
});
let start = 0;
afterEach(() => {
  life.abort();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const cleanFetch = async (_url: string, { headers, body, keepalive, credentials }: Sent) => {
  expect([keepalive, credentials]).toEqual([true, "omit"]);
  sent.push({
    key: headers["idempotency-key"] ?? "",
    eventType: JSON.parse(body).eventType,
    at: Date.now() - start,
  });
  const answer = answers.shift() ?? new Response("{}");
  if (answer instanceof Error) throw answer;
  return answer;
};
const create = () =>
  createTriggerReports({
    options: { baseUrl: "https://chat.example", agentId: "agent_1" },
    storage: {
      read: (_place: string, name: string) => kept.get(name) ?? null,
      write: (_place: string, name: string, value: unknown) => void kept.set(name, structuredClone(value)),
    },
    visitor: { sessionId: "s1" },
    signal: life.signal,
    fetch: cleanFetch,
  } as unknown as WidgetCore);
const report = (reports: ReturnType<typeof create>, eventType: "fired" | "converted" = "fired") =>
  reports.add(trigger as unknown as WidgetTrigger, eventType);
const busy = (status: number, retryAfter?: string) =>
  new Response("{}", { status, headers: retryAfter ? { "retry-after": retryAfter } : {} });
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);

it("trigger reports are sent in order, each with its own key, and deleted once they have arrived", async () => {
  const reports = create();
  report(reports);
  report(reports, "converted");
  await pass(1);
  expect(sent.map(({ eventType }) => eventType)).toEqual(["fired", "converted"]);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
  expect([kept.get("reports"), reports.state().waiting]).toEqual([null, 0]);
});

it("a trigger report is retried with the same key and growing delays that respect Retry-After, and later reports wait", async () => {
  answers = [new Error("offline"), busy(503), busy(429, "120"), busy(503, "Wed, 21 Oct 2026 07:28:00 GMT")];
  const reports = create();
  report(reports);
  await pass(10);
  expect(sent.map(({ at }) => at)).toEqual([0, 2_000, 6_000]);
  report(reports, "converted");
  await pass(115);
  expect(sent.length).toBe(3);
  await pass(60);
  expect(sent.map(({ at }) => at).slice(3)).toEqual([126_000, 142_000, 142_000]);
  expect(sent.map(({ eventType }) => eventType).slice(3)).toEqual(["fired", "fired", "converted"]);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(2);
});

it("rejected trigger reports are dropped, and after ten attempts sending pauses until the browser is online again", async () => {
  answers = [busy(404), ...Array.from({ length: 11 }, () => new Error("offline"))];
  const reports = create();
  report(reports);
  await pass(1);
  expect(reports.state().waiting).toBe(0);
  report(reports);
  await pass(3_600);
  expect(sent.length).toBe(12);
  target.dispatchEvent(new Event("online"));
  await pass(1);
  expect([sent.length, reports.state().waiting]).toEqual([13, 0]);
});

it("waiting trigger reports are sent once more when the page closes and again on the next page, with the same key", async () => {
  answers = [new Error("offline"), new Error("offline")];
  report(create());
  await pass(1);
  target.dispatchEvent(new Event("pagehide"));
  await pass(0);
  life.abort();
  life = new AbortController();
  create();
  await pass(1);
  expect(sent.length).toBe(3);
  expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
  expect(kept.get("reports")).toBeNull();
});

it("only the newest fifty trigger reports are stored, and malformed stored values are ignored", async () => {
  kept.set("reports", [{ key: 1 }, null, "x", { key: "k" }, { key: "k", event: { eventType: "fired" } }]);
  answers = Array.from({ length: 100 }, () => new Error("offline"));
  const reports = create();
  expect(reports.state().waiting).toBe(1);
  for (let times = 0; times < 80; times++) report(reports);
  expect([reports.state().waiting, (kept.get("reports") as unknown[]).length]).toEqual([50, 50]);
  await pass(0);
});
