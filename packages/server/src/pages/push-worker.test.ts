import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { expect, it, vi } from "vitest";

const source = readFileSync(new URL("./static/push-worker.js", import.meta.url), "utf8");

type Sent = { method: string; path: string; body: unknown };

/** A browser in which the dashboard's service worker runs. `devices` is null when the session has expired. */
function startWorker({ devices }: { devices: object[] | null }) {
  const handlers = new Map<string, (event: object) => void>();
  const sent: Sent[] = [];
  const subscribe = vi.fn(async () => subscriptionTo("https://push.example/new"));
  const fetch = async (address: URL, { method = "GET", body }: { method?: string; body?: string } = {}) => {
    if (method === "GET") return { ok: devices !== null, json: async () => ({ devices }) };
    sent.push({ method, path: address.pathname, body: body === undefined ? null : JSON.parse(body) });
    return { ok: true };
  };
  const self = {
    addEventListener: (type: string, handler: (event: object) => void) => handlers.set(type, handler),
    registration: { scope: "https://chat.example.com/support/dashboard/", pushManager: { subscribe } },
    fetch,
  };
  runInNewContext(source, { self, URL });
  const change = (event: object) =>
    new Promise((resolve) => handlers.get("pushsubscriptionchange")?.({ ...event, waitUntil: resolve }));
  return { sent, subscribe, change };
}

const keys = { p256dh: "key", auth: "secret" };
const options = { applicationServerKey: "vapid" };
const subscriptionTo = (endpoint: string) => ({ endpoint, options, toJSON: () => ({ endpoint, keys }) });
const oldSubscription = subscriptionTo("https://push.example/old");
const device = { id: "push_1", endpoint: "https://push.example/old", label: "Firefox on Linux" };
const renewed: Sent[] = [
  {
    method: "POST",
    path: "/support/notices/push-subscriptions",
    body: { endpoint: "https://push.example/new", keys, label: "Firefox on Linux" },
  },
  { method: "DELETE", path: "/support/notices/push-subscriptions/push_1", body: null },
];

it("a browser that replaces its push subscription keeps receiving notices, under the same label", async () => {
  const worker = startWorker({ devices: [device] });
  await worker.change({ oldSubscription, newSubscription: subscriptionTo("https://push.example/new") });
  expect(worker.sent).toEqual(renewed);
  expect(worker.subscribe).not.toHaveBeenCalled();
});

it("a browser that only reports the end of its push subscription subscribes again with the same key", async () => {
  const worker = startWorker({ devices: [device] });
  await worker.change({ oldSubscription });
  expect(worker.subscribe).toHaveBeenCalledWith(options);
  expect(worker.sent).toEqual(renewed);
});

it("a replaced push subscription is not registered after the member has signed out or turned notices off", async () => {
  for (const devices of [null, [], [{ ...device, endpoint: "https://push.example/other" }]]) {
    const worker = startWorker({ devices });
    await worker.change({ oldSubscription });
    expect(worker.sent).toEqual([]);
    expect(worker.subscribe).not.toHaveBeenCalled();
  }
});
