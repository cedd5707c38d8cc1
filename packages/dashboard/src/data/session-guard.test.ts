import type { Session } from "@foyer/contract";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const session = (userId: string, organizationId = "org_1") =>
  ({
    user: { id: userId, name: userId, email: `${userId}@example.com`, emailVerified: true },
    organization: { id: organizationId, name: "Harbour Bikes", plan: "pro" },
    organizations: [{ id: "org_1" }, { id: "org_2" }],
  }) as Session;

let current: Session | null;
let sent: Array<[method: string, path: string, body: unknown]>;

beforeEach(() => {
  vi.resetModules();
  current = null;
  sent = [];
  vi.stubGlobal("document", { querySelector: () => null });
  vi.stubGlobal("location", { origin: "https://chat.example" });
  vi.stubGlobal("fetch", async (url: string, init: RequestInit = {}) => {
    const { pathname } = new URL(url);
    if (pathname !== "/auth/session") sent.push([init.method ?? "GET", pathname, init.body]);
    return current ? Response.json(current) : Response.json({}, { status: 401 });
  });
});
afterEach(() => vi.unstubAllGlobals());

const save = (guard: typeof import("./session-guard.ts"), body = "typed") =>
  guard.guardedFetch("https://chat.example/agents/agent_1", { method: "PATCH", body });

it("a call that found its session ended is sent again after signing in", async () => {
  const guard = await import("./session-guard.ts");
  guard.holdSession(session("ada"));
  const saved = save(guard);
  await expect.poll(() => sent.length).toBe(1);
  current = session("ada");
  await vi.waitFor(async () => {
    await guard.continueWith(session("ada"));
    expect((await Promise.race([saved, Promise.resolve(null)]))?.status).toBe(200);
  });
  expect(sent).toEqual([
    ["PATCH", "/agents/agent_1", "typed"],
    ["PATCH", "/agents/agent_1", "typed"],
  ]);
});

it("the new session returns to the organization of the page before the call is sent again", async () => {
  const guard = await import("./session-guard.ts");
  guard.holdSession(session("ada", "org_2"));
  const saved = save(guard);
  await expect.poll(() => sent.length).toBe(1);
  current = session("ada", "org_1");
  await guard.continueWith(session("ada", "org_1"));
  await saved;
  expect(sent.map(([, path]) => path)).toEqual(["/agents/agent_1", "/auth/switch-organization", "/agents/agent_1"]);
});

it("a call is not sent as another person who signed in to this browser", async () => {
  const guard = await import("./session-guard.ts");
  const otherTab = new BroadcastChannel("foyer.session");
  guard.holdSession(session("ada"));
  const stop = guard.followSignIns();
  current = session("ben");
  otherTab.postMessage("ben");
  await vi.waitFor(async () => {
    // The message has arrived once calls wait.
    const outcome = await Promise.race([save(guard), new Promise((resolve) => setTimeout(resolve, 5))]);
    expect(outcome).toBeUndefined();
  });
  const before = sent.length;
  const saved = save(guard);
  guard.dismissInterruption();
  expect((await saved).status).toBe(401);
  expect(sent).toHaveLength(before);
  stop();
  otherTab.close();
});

it("a call is not sent for someone who does not belong to the organization of the page", async () => {
  const guard = await import("./session-guard.ts");
  guard.holdSession(session("ada", "org_3"));
  const saved = save(guard);
  await expect.poll(() => sent.length).toBe(1);
  await vi.waitFor(async () => {
    await guard.continueWith(session("ben"));
    expect((await Promise.race([saved, Promise.resolve(null)]))?.status).toBe(401);
  });
  expect(sent).toHaveLength(1);
});

it("a page without a session receives the 401", async () => {
  const guard = await import("./session-guard.ts");
  expect((await save(guard)).status).toBe(401);
});

it("after the dialog was dismissed, reading does not open it again", async () => {
  const guard = await import("./session-guard.ts");
  guard.holdSession(session("ada"));
  const saved = save(guard);
  await expect.poll(() => sent.length).toBe(1);
  await vi.waitFor(async () => {
    guard.dismissInterruption();
    expect((await Promise.race([saved, Promise.resolve(null)]))?.status).toBe(401);
  });
  expect((await guard.guardedFetch("https://chat.example/agents")).status).toBe(401);
  expect(sent).toHaveLength(1);
});

it("a wrong password is not taken for an ended session", async () => {
  const guard = await import("./session-guard.ts");
  guard.holdSession(session("ada"));
  const answer = await guard.guardedFetch("https://chat.example/auth/sign-in/email", { method: "POST" });
  expect(answer.status).toBe(401);
});
