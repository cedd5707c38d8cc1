import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";

let left: string[];
let answer: () => Response;
const otherTab = new BroadcastChannel("foyer.sign-out");

beforeEach(() => {
  left = [];
  answer = () => Response.json({ success: true });
  vi.stubGlobal("document", { querySelector: () => null });
  vi.stubGlobal("location", { origin: "https://chat.example", assign: (path: string) => left.push(path) });
  vi.stubGlobal("localStorage", { removeItem() {} });
  vi.stubGlobal("window", { isSecureContext: false });
  vi.stubGlobal("fetch", async () => answer());
});
afterEach(() => {
  otherTab.onmessage = null;
  vi.unstubAllGlobals();
});

afterAll(() => otherTab.close());

it("signing out leaves the dashboard in all tabs of the browser", async () => {
  const { followSignOut, signOut } = await import("./sign-out.ts");
  const told = new Promise((resolve) => {
    otherTab.onmessage = resolve;
  });
  await signOut();
  await told;
  expect(left).toEqual(["/dashboard/sign-in"]);
  const stop = followSignOut();
  otherTab.postMessage(null);
  await expect.poll(() => left).toEqual(["/dashboard/sign-in", "/dashboard/sign-in"]);
  stop();
  await signOut({ leaveTo: "/dashboard/invitations/inv_1" });
  expect(left.at(-1)).toBe("/dashboard/invitations/inv_1");
});

it("a sign-out that the server refuses changes nothing", async () => {
  const { signOut } = await import("./sign-out.ts");
  answer = () => Response.json({ error: { code: "INTERNAL", message: "Try again." } }, { status: 500 });
  await signOut();
  expect(left).toEqual([]);
});
