import { describe, expect, it } from "vitest";
import { expiryOf } from "./key-expiry.ts";

describe("when a key expires", () => {
  const now = new Date("2026-01-01T10:00:00.000Z");

  it("counts days from now on", () => {
    expect(expiryOf("30", "", now)).toBe("2026-01-31T10:00:00.000Z");
    expect(expiryOf("365", "", now)).toBe("2027-01-01T10:00:00.000Z");
  });

  it("can be never", () => {
    expect(expiryOf("never", "2026-02-01", now)).toBeNull();
  });

  it("takes a chosen day whole, where the viewer is", () => {
    // The time zone of the tests is UTC+5:30.
    expect(expiryOf("date", "2026-02-01", now)).toBe("2026-02-01T18:29:59.999Z");
  });

  it("leaves what is no day for the server to refuse", () => {
    expect(expiryOf("date", "", now)).toBe("");
  });
});
