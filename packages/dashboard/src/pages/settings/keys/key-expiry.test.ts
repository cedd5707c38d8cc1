import { describe, expect, it } from "vitest";
import { toExpiry } from "./key-expiry.ts";

describe("the expiry of an API key", () => {
  const now = new Date("2026-01-01T10:00:00.000Z");

  it("counts days from now", () => {
    expect(toExpiry("30", "", now)).toBe("2026-01-31T10:00:00.000Z");
    expect(toExpiry("365", "", now)).toBe("2027-01-01T10:00:00.000Z");
  });

  it("supports keys that never expire", () => {
    expect(toExpiry("never", "2026-02-01", now)).toBeNull();
  });

  it("expires at the end of a chosen day", () => {
    // The time zone of the tests is UTC+5:30.
    expect(toExpiry("date", "2026-02-01", now)).toBe("2026-02-01T18:29:59.999Z");
  });

  it("leaves an invalid day for the server to reject", () => {
    expect(toExpiry("date", "", now)).toBe("");
  });
});
