import { afterEach, beforeEach, expect, it, vi } from "vitest";

const endpoint = "https://push.example/1";
let stored: Map<string, string>;
let isSubscribed: boolean;

beforeEach(() => {
  stored = new Map([
    ["foyer.push-owner", "ada"],
    ["foyer.push-endpoint", endpoint],
  ]);
  isSubscribed = true;
  const unsubscribe = async () => {
    isSubscribed = false;
  };
  const getSubscription = async () => (isSubscribed ? { endpoint, unsubscribe } : null);
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => stored.get(name) ?? null,
    removeItem: (name: string) => stored.delete(name),
  });
  // A module that the tested module imports reads this, so the tested module is imported within the tests.
  vi.stubGlobal("document", { querySelector: () => null });
  vi.stubGlobal("location", { origin: "https://chat.example" });
  vi.stubGlobal("window", { isSecureContext: true, PushManager: {}, Notification: {} });
  vi.stubGlobal("Notification", { permission: "granted" });
  vi.stubGlobal("navigator", {
    serviceWorker: { getRegistration: async () => ({ pushManager: { getSubscription } }) },
  });
});
afterEach(() => vi.unstubAllGlobals());

it("keeps the notices of the member who turned them on in this browser", async () => {
  const { keepPush } = await import("./push-device.ts");
  await keepPush("ada");
  expect([isSubscribed, stored.size]).toEqual([true, 2]);
});

it("ends the notices of a member whose session expired in this browser when another member signs in", async () => {
  const { keepPush } = await import("./push-device.ts");
  await keepPush("grace");
  expect([isSubscribed, stored.size]).toEqual([false, 0]);
});
