import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { sendableContext, sendableIdentity } from "./page-values.ts";

beforeEach(() => {
  vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const identify = (identity: object) => sendableIdentity({ identity } as Parameters<typeof sendableIdentity>[0]);
const cycle: Record<string, unknown> = { plan: "pro" };
cycle.self = cycle;
const unreadable = Object.defineProperty({ a: 1 }, "b", {
  enumerable: true,
  get: () => {
    throw new Error("no");
  },
});

it.each([
  ["a numeric id", { userId: 42 }, { userId: "42" }],
  ["a bigint as id", { userId: 42n }, { userId: "42" }],
  ["absent values", { userId: "a", userName: null, userEmail: "", userHash: false }, { userId: "a" }],
  [
    "a date",
    { userId: "a", metadata: { at: new Date(0) } },
    { userId: "a", metadata: { at: "1970-01-01T00:00:00.000Z" } },
  ],
  ["a bigint in the metadata", { userId: "a", userMetadata: { total: 1n } }, { userId: "a", metadata: { total: "1" } }],
])("%s of an identity is sent without a warning", (_, given, sent) => {
  expect(identify(given)).toEqual(sent);
  expect(console.warn).not.toHaveBeenCalled();
});

it.each([
  ["a long name", { userName: "x".repeat(5_000) }, {}, "userName (longer than 320 characters)"],
  ["an object as name", { userName: {} }, {}, "userName (not text)"],
  ["a list as metadata", { metadata: ["vip"] }, {}, "metadata (not an object)"],
  ["text as metadata", { metadata: "vip" }, {}, "metadata (not an object)"],
  ["large metadata", { metadata: { note: "x".repeat(60_000) } }, {}, "metadata (more than 8192 bytes of JSON)"],
  ["a cycle", { metadata: cycle }, { metadata: { plan: "pro" } }, "metadata.self (contains itself)"],
  ["a getter that throws", { metadata: unreadable }, { metadata: { a: 1 } }, "metadata.b (cannot be read)"],
])("%s of an identity is left out, with one warning", (_, given, sent, problem) => {
  const identity = { userId: "a", ...given };
  expect(identify(identity)).toEqual({ userId: "a", ...sent });
  identify(identity);
  expect(vi.mocked(console.warn).mock.calls).toEqual([[`Foyer: identify left out ${problem}.`]]);
});

it("a context that leads to everything on the page is left out in a moment", () => {
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`name${index}`, { index }]));
  expect(sendableContext({ context: { wide } })).toBeNull();
  expect(console.warn).toHaveBeenCalledTimes(1);
});
