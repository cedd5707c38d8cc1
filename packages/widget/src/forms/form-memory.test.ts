import { beforeEach, expect, it, vi } from "vitest";
import type { Identity } from "../foyer-api.ts";
import { createConsentStorage } from "../loader/consent-storage.ts";
import { createEventBus } from "../loader/event-bus.ts";
import { createVisit } from "../loader/visitor-session.ts";
import { createFormMemory, type Draft } from "./form-memory.ts";

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

/** A page of the site, which the visitor does something on unless `isIdle`. */
function open(identity: Identity | null = null, { isIdle = false } = {}) {
  const bus = createEventBus();
  const storage = createConsentStorage("agent_1", bus, "given");
  const visit = createVisit(storage, bus, identity);
  if (!isIdle) bus.emit("interaction");
  return { visit, bus, forms: createFormMemory({ storage, visit }) };
}

it("keeps drafts for the tab and sent forms for the browser, the newest fifty", () => {
  const { forms } = open();
  for (let index = 0; index < 60; index++) {
    forms.keepDraft(draft(`d${index}`));
    forms.keepSent({ key: `s${index}`, message: null });
  }
  const next = open().forms;
  expect([next.draft("d9"), next.draft("d10")?.values, next.sent("s9"), next.sent("s59")]).toEqual([
    null,
    { name: "Ada" },
    null,
    { key: "s59", message: null },
  ]);
  next.dropDraft("d59");
  expect(open().forms.draft("d59")).toBeNull();
  expect(local.text()).not.toContain("Ada");
});

it("writes nothing before the visitor does something", () => {
  const { forms, bus } = open(null, { isIdle: true });
  forms.keepDraft(draft("a"));
  expect(forms.draft("a")).not.toBeNull();
  expect(session.text()).toBe("[]");
  bus.emit("interaction");
  expect(session.text()).toContain("Ada");
});

it("is one visitor's: of somebody named nobody else sees anything", () => {
  open({ userId: "ada" }).forms.keepDraft(draft("a"));
  expect(open().forms.draft("a")).toBeNull();
  expect(open({ userId: "bob" }).forms.draft("a")).toBeNull();
  expect(open({ userId: "ada" }).forms.draft("a")).not.toBeNull();
  open().visit.identify({ userId: "bob" });
  expect(session.text()).not.toContain("Ada");
});

it("goes from nobody to who is named, and then to nobody else", () => {
  const { forms, visit } = open();
  forms.keepDraft(draft("a"));
  visit.identify({ userId: "ada" });
  expect(forms.draft("a")).not.toBeNull();
  visit.identify({ userId: "bob" });
  expect(forms.draft("a")).toBeNull();
});

it("is gone after a logout", () => {
  const { forms, visit } = open({ userId: "ada" });
  forms.keepDraft(draft("a"));
  forms.keepSent({ key: "b", message: "Booked for Ada" });
  visit.logout();
  expect([session.text(), local.text()].join()).not.toContain("Ada");
});

it("expects anything in the storage", () => {
  for (const text of [
    "7",
    "null",
    "{",
    '{"whose":"anonymous","drafts":{"a":1}}',
    '{"whose":"anonymous","drafts":[null,7,{"key":7}],"standing":[{"key":"x"}]}',
  ]) {
    session.setItem("foyer:agent_1:forms", text);
    const { forms } = open();
    expect([forms.draft("x"), forms.standing()]).toEqual([null, []]);
  }
});
