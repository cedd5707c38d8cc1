import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Identity } from "../foyer-api.ts";
import { createConsentStorage } from "./consent-storage.ts";
import { createEventBus } from "./event-bus.ts";
import { createVisitorSession } from "./visitor-session.ts";

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

/** Opens another page in the same browser. */
function openPage(identity: Identity | null = null, consent: "given" | "required" = "given") {
  const bus = createEventBus();
  const storage = createConsentStorage("agent_1", bus, consent);
  return { bus, storage, visitor: createVisitorSession(storage, bus, identity) };
}
const talk = (id: string) => ({ id, token: `token of ${id}`, title: id, at: 1 });
const ids = ({ visitor }: ReturnType<typeof openPage>) => visitor.conversations.map(({ id }) => id);

describe("consent storage", () => {
  it("writes nothing before the visitor interacts, except for early writes", () => {
    const { bus, storage, visitor } = openPage();
    storage.write("local", "a", 1);
    storage.write("session", "b", 2, { early: true });
    expect([local.size, session.size]).toEqual([0, 1]);
    expect(storage.read("local", "a")).toBe(1);
    const { sessionId } = visitor;
    bus.emit("interaction");
    expect(JSON.parse(local.get("foyer:agent_1:visit") ?? "").sessionId).toBe(sessionId);
    expect(openPage().visitor.sessionId).toBe(sessionId);
    expect(openPage().storage.read("local", "a")).toBe(1);
  });

  it("neither reads nor writes before consent when consent is required", () => {
    local.set("foyer:agent_1:a", "1");
    const { bus, storage } = openPage(null, "required");
    bus.emit("interaction");
    storage.write("session", "b", 2, { early: true });
    expect([storage.read("local", "a"), session.size]).toEqual([null, 0]);
    bus.emit("consent");
    expect([storage.read("local", "a"), session.size]).toEqual([1, 1]);
  });

  it("ignores stored values that other code has changed", () => {
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

  it("keeps values of localStorage and sessionStorage apart, including values that wait for consent", () => {
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
  it("that are open and anonymous go to a visitor who is identified on the next page, and only once", () => {
    const first = openPage();
    first.bus.emit("interaction");
    first.visitor.remember(talk("one"));
    const second = openPage();
    second.visitor.identify({ userId: "ada" });
    expect(second.visitor.current?.id).toBe("one");
    second.bus.emit("interaction");
    second.visitor.remember(talk("two"));
    const third = openPage();
    third.visitor.identify({ userId: "ada" });
    expect([ids(third), third.visitor.current?.id]).toEqual([["two", "one"], "two"]);
  });

  it("that are open and anonymous go to a visitor whom the page's script tag identifies", () => {
    const first = openPage();
    first.bus.emit("interaction");
    first.visitor.remember(talk("one"));
    const next = openPage({ userId: "ada" });
    expect([ids(next), next.visitor.current?.id]).toEqual([["one"], "one"]);
  });

  it("are restored on the next page, newest first, with the current one open", () => {
    const first = openPage();
    first.bus.emit("interaction");
    first.visitor.remember(talk("one"));
    first.visitor.remember(talk("two"));
    first.visitor.remember(talk("one"));
    const next = openPage();
    expect([ids(next), next.visitor.current?.id]).toEqual([["one", "two"], "one"]);
    next.visitor.select(null);
    next.bus.emit("interaction");
    expect(openPage().visitor.current).toBeNull();
    next.visitor.forget("one");
    expect(ids(openPage())).toEqual(["two"]);
  });

  it("belong to one visitor: identifying another user deletes them, and a logout deletes everything", () => {
    const page = openPage();
    const told = vi.fn();
    page.bus.on("identity", told);
    page.bus.emit("interaction");
    page.visitor.remember(talk("nobody's"));
    page.visitor.identify({ userId: "ada" });
    page.visitor.remember(talk("ada's"));
    page.visitor.identify({ userId: "ada", userName: "Ada" });
    expect([ids(page), told.mock.calls.length]).toEqual([["ada's", "nobody's"], 1]);
    // On the next page another user is identified, who has not interacted yet.
    const next = openPage({ userId: "ada" });
    expect(ids(next)).toEqual(["ada's", "nobody's"]);
    next.visitor.identify({ userId: "bob" });
    expect(ids(next)).toEqual([]);
    // Searching for "ada" alone would find it in some of the random session ids.
    expect([...local.values()].join()).not.toMatch(/user:ada|ada's/);
    const { sessionId } = next.visitor;
    next.visitor.logout();
    expect([local.size, ids(next), next.visitor.identity]).toEqual([0, [], null]);
    expect(next.visitor.sessionId).not.toBe(sessionId);
  });

  it("that are open and anonymous stay open when the visitor is identified", () => {
    const page = openPage();
    page.bus.emit("interaction");
    page.visitor.remember(talk("closed"));
    page.visitor.remember(talk("open"));
    page.visitor.identify({ userId: "ada" });
    expect([ids(page), page.visitor.current?.id]).toEqual([["open"], "open"]);
  });
});

it("a visitor is recognized by the token's user, even after the token was renewed", () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const token = (exp: number) => `${part({})}.${part({ sub: "zoë", email: "z@example.com", name: "Zoë", exp })}.x`;
  const page = openPage({ userToken: token(1), userEmail: "other@example.com" });
  page.bus.emit("interaction");
  page.visitor.remember(talk("conv_1"));
  expect(page.visitor.identity).toMatchObject({ userId: "zoë", userEmail: "z@example.com", userName: "Zoë" });
  page.visitor.identify({ userToken: token(2) });
  expect(page.visitor.identity?.userToken).toBe(token(2));
  expect(ids(page)).toEqual(["conv_1"]);
  page.visitor.identify({ userToken: "unreadable" });
  expect([page.visitor.identity?.userId, ids(page)]).toEqual(["unreadable", []]);
});
