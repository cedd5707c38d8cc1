import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Identity } from "../foyer-api.ts";
import { createConsentStorage } from "./consent-storage.ts";
import { createEventBus } from "./event-bus.ts";
import { createVisit } from "./visitor-session.ts";

class Kept extends Map<string, string> {
  getItem = (key: string) => this.get(key) ?? null;
  setItem = (key: string, text: string) => void this.set(key, text);
  removeItem = (key: string) => void this.delete(key);
}

let local: Kept;
let session: Kept;
beforeEach(() => {
  local = new Kept();
  session = new Kept();
  vi.stubGlobal("localStorage", local);
  vi.stubGlobal("sessionStorage", session);
});
afterEach(() => vi.unstubAllGlobals());

/** Another page of the same browser. */
function openPage(identity: Identity | null = null, consent: "given" | "required" = "given") {
  const bus = createEventBus();
  const storage = createConsentStorage("agent_1", bus, consent);
  return { bus, storage, visit: createVisit(storage, bus, identity) };
}
const talk = (id: string) => ({ id, token: `token of ${id}`, title: id, at: 1 });
const ids = ({ visit }: ReturnType<typeof openPage>) => visit.conversations.map(({ id }) => id);

describe("what the browser keeps", () => {
  it("is nothing before the visitor does something, but for what says so", () => {
    const { bus, storage, visit } = openPage();
    storage.write("local", "a", 1);
    storage.write("session", "b", 2, { early: true });
    expect([local.size, session.size]).toEqual([0, 1]);
    expect(storage.read("local", "a")).toBe(1);
    const { sessionId } = visit;
    bus.emit("interaction");
    expect(JSON.parse(local.get("foyer:agent_1:visit") ?? "").sessionId).toBe(sessionId);
    expect(openPage().visit.sessionId).toBe(sessionId);
    expect(openPage().storage.read("local", "a")).toBe(1);
  });

  it("is neither read nor written before consent, where that is needed", () => {
    local.set("foyer:agent_1:a", "1");
    const { bus, storage } = openPage(null, "required");
    bus.emit("interaction");
    storage.write("session", "b", 2, { early: true });
    expect([storage.read("local", "a"), session.size]).toEqual([null, 0]);
    bus.emit("consent");
    expect([storage.read("local", "a"), session.size]).toEqual([1, 1]);
  });

  it("may be anything that somebody else left there", () => {
    for (const text of [
      "{",
      "null",
      "[]",
      '{"owners":1}',
      '{"sessionId":1,"owners":{}}',
      '{"sessionId":"s","owners":{"anonymous":{}}}',
    ]) {
      local.set("foyer:agent_1:visit", text);
      expect(ids(openPage())).toEqual([]);
    }
  });

  it("is kept where it belongs, also what has to wait: a name is another one in the other place", () => {
    const { bus, storage } = openPage(null, "required");
    storage.write("session", "forms", "draft");
    storage.write("local", "forms", "sent");
    expect([storage.read("session", "forms"), storage.read("local", "forms")]).toEqual(["draft", "sent"]);
    bus.emit("interaction");
    bus.emit("consent");
    expect([session.get("foyer:agent_1:forms"), local.get("foyer:agent_1:forms")]).toEqual(['"draft"', '"sent"']);
  });
});

describe("conversations", () => {
  it("hands the open anonymous conversation to a visitor who is identified on the next page, and only once", () => {
    const first = openPage();
    first.bus.emit("interaction");
    first.visit.remember(talk("one"));
    const second = openPage();
    second.visit.identify({ userId: "ada" });
    expect(second.visit.current?.id).toBe("one");
    second.bus.emit("interaction");
    second.visit.remember(talk("two"));
    const third = openPage();
    third.visit.identify({ userId: "ada" });
    expect([ids(third), third.visit.current?.id]).toEqual([["two", "one"], "two"]);
  });

  it("hands the open anonymous conversation to a visitor whom the page's script tag identifies", () => {
    const first = openPage();
    first.bus.emit("interaction");
    first.visit.remember(talk("one"));
    const next = openPage({ userId: "ada" });
    expect([ids(next), next.visit.current?.id]).toEqual([["one"], "one"]);
  });

  it("are found again on the next page, newest first, with the one that is open", () => {
    const first = openPage();
    first.bus.emit("interaction");
    first.visit.remember(talk("one"));
    first.visit.remember(talk("two"));
    first.visit.remember(talk("one"));
    const next = openPage();
    expect([ids(next), next.visit.current?.id]).toEqual([["one", "two"], "one"]);
    next.visit.select(null);
    next.bus.emit("interaction");
    expect(openPage().visit.current).toBeNull();
    next.visit.forget("one");
    expect(ids(openPage())).toEqual(["two"]);
  });

  it("are each visitor's own; another one's are forgotten, and at a logout all", () => {
    const page = openPage();
    const told = vi.fn();
    page.bus.on("identity", told);
    page.bus.emit("interaction");
    page.visit.remember(talk("nobody's"));
    page.visit.identify({ userId: "ada" });
    page.visit.remember(talk("ada's"));
    page.visit.identify({ userId: "ada", userName: "Ada" });
    expect([ids(page), told.mock.calls.length]).toEqual([["ada's", "nobody's"], 1]);
    // On the next page somebody else is there, and has not done anything yet.
    const next = openPage({ userId: "ada" });
    expect(ids(next)).toEqual(["ada's", "nobody's"]);
    next.visit.identify({ userId: "bob" });
    expect(ids(next)).toEqual([]);
    expect([...local.values()].join()).not.toContain("ada");
    const { sessionId } = next.visit;
    next.visit.logout();
    expect([local.size, ids(next), next.visit.identity]).toEqual([0, [], null]);
    expect(next.visit.sessionId).not.toBe(sessionId);
  });

  it("keep the open anonymous one open when the visitor signs in", () => {
    const page = openPage();
    page.bus.emit("interaction");
    page.visit.remember(talk("closed"));
    page.visit.remember(talk("open"));
    page.visit.identify({ userId: "ada" });
    expect([ids(page), page.visit.current?.id]).toEqual([["open"], "open"]);
  });
});
