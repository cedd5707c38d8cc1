import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createStore } from "../store.ts";
import { createAnnouncer } from "./announcer.ts";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: true });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function createPanel() {
  const store = createStore({ announcement: "" });
  const announce = createAnnouncer({ store, patch: store.set } as never);
  return { announce, said: () => store.get().announcement };
}

it("the announcer reads messages that arrive together as one text, so that none replaces another", () => {
  const { announce, said } = createPanel();
  announce("Ada: Hello");
  announce("Ada: Which bike?");
  expect(said()).toBe("");
  vi.runAllTimers();
  expect(said()).toBe("Ada: Hello\nAda: Which bike?");
});

it("the announcer repeats the same text, which a live region would otherwise ignore", () => {
  const { announce, said } = createPanel();
  announce("Ada: Yes");
  vi.runAllTimers();
  const before = said();
  announce("Ada: Yes");
  vi.runAllTimers();
  expect(said()).not.toBe(before);
  expect(said().trim()).toBe("Ada: Yes");
});
