import { beforeEach, expect, it, vi } from "vitest";
import type { Identity } from "../foyer-api.ts";
import { createConsentStorage } from "../loader/consent-storage.ts";
import { createEventBus } from "../loader/event-bus.ts";
import { createVisitorSession } from "../loader/visitor-session.ts";
import { createFormStorage, type Draft } from "./form-storage.ts";

const createStorage = () => {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, text: string) => void values.set(key, text),
    removeItem: (key: string) => void values.delete(key),
    text: () => JSON.stringify([...values]),
  };
};
const draft = (key: string, name = "Ada"): Draft => ({
  key,
  values: { name },
  files: [],
  impressionAt: 1,
  startedAt: 2,
  completed: [],
  attempt: null,
});
let session: ReturnType<typeof createStorage>;
let local: ReturnType<typeof createStorage>;

beforeEach(() => {
  session = createStorage();
  local = createStorage();
  vi.stubGlobal("sessionStorage", session);
  vi.stubGlobal("localStorage", local);
});

/** A page of the site on which the visitor has interacted unless `isIdle`. */
function open(identity: Identity | null = null, { isIdle = false } = {}) {
  const bus = createEventBus();
  const storage = createConsentStorage("agent_1", bus, "given");
  const visitor = createVisitorSession(storage, bus, identity);
  if (!isIdle) bus.emit("interaction");
  return { visitor, bus, forms: createFormStorage({ storage, visitor }) };
}

it("form storage keeps the newest fifty drafts for the tab and submitted forms for the browser", () => {
  const { forms } = open();
  for (let index = 0; index < 60; index++) {
    forms.saveDraft(draft(`d${index}`));
    forms.saveSent({ key: `s${index}`, message: null });
  }
  const next = open().forms;
  expect([next.draft("d9"), next.draft("d10")?.values, next.sent("s9"), next.sent("s59")]).toEqual([
    null,
    { name: "Ada" },
    null,
    { key: "s59", message: null },
  ]);
  next.deleteDraft("d59");
  expect(open().forms.draft("d59")).toBeNull();
  expect(local.text()).not.toContain("Ada");
});

it("form storage keeps nothing before the visitor interacts with the widget", () => {
  const { forms, bus } = open(null, { isIdle: true });
  forms.saveDraft(draft("a"));
  expect(forms.draft("a")).not.toBeNull();
  expect(session.text()).toBe("[]");
  bus.emit("interaction");
  expect(session.text()).toContain("Ada");
});

it("form storage does not show an identified visitor's forms to anyone else", () => {
  open({ userId: "ada" }).forms.saveDraft(draft("a"));
  expect(open().forms.draft("a")).toBeNull();
  expect(open({ userId: "bob" }).forms.draft("a")).toBeNull();
  expect(open({ userId: "ada" }).forms.draft("a")).not.toBeNull();
  open().visitor.identify({ userId: "bob" });
  expect(session.text()).not.toContain("Ada");
});

it("form storage moves an anonymous visitor's forms to the user who is identified, and not to the next user", () => {
  const { forms, visitor } = open();
  forms.saveDraft(draft("a"));
  visitor.identify({ userId: "ada" });
  expect(forms.draft("a")).not.toBeNull();
  visitor.identify({ userId: "bob" });
  expect(forms.draft("a")).toBeNull();
});

it("form storage is cleared on logout", () => {
  const { forms, visitor } = open({ userId: "ada" });
  forms.saveDraft(draft("a"));
  forms.saveSent({ key: "b", message: "Booked for Ada" });
  visitor.logout();
  expect([session.text(), local.text()].join()).not.toContain("Ada");
});

it("form storage ignores malformed data", () => {
  for (const text of [
    "7",
    "null",
    "{",
    '{"whose":"anonymous","drafts":{"a":1}}',
    '{"whose":"anonymous","drafts":[null,7,{"key":7}],"pinned":[{"key":"x"}]}',
  ]) {
    session.setItem("foyer:agent_1:forms", text);
    const { forms } = open();
    expect([forms.draft("x"), forms.pinned()]).toEqual([null, []]);
  }
});
