import { describe, expect, it } from "vitest";
import { expiryOf } from "./key-expiry.ts";

describe("the expiry of an API key", () => {
  const now = new Date("2026-01-01T10:00:00.000Z");

  it("counts days from now", () => {
    expect(expiryOf("30", "", now)).toBe("2026-01-31T10:00:00.000Z");
    expect(expiryOf("365", "", now)).toBe("2027-01-01T10:00:00.000Z");
  });

  it("supports keys that never expire", () => {
    expect(expiryOf("never", "2026-02-01", now)).toBeNull();
  });

  it("expires at the end of a chosen day", () => {
    // The time zone of the tests is UTC+5:30.
    expect(expiryOf("date", "2026-02-01", now)).toBe("2026-02-01T18:29:59.999Z");
  });

  it("leaves an invalid day for the server to reject", () => {
    expect(expiryOf("date", "", now)).toBe("");
  });
});
