import * as contract from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { wordsFor } from "./audit-labels.ts";

describe("the audit log's words", () => {
  it("has some for every call that is recorded", () => {
    const recorded = Object.values(contract).flatMap((value) => {
      if (typeof value !== "object" || !("url" in value) || value.method === "GET") return [];
      const { access } = value.config;
      const isUnrecorded = access === "public" || access === "user" || value === contract.readConversation;
      return isUnrecorded ? [] : [`${value.method} ${value.url}`];
    });
    expect(recorded.length).toBeGreaterThan(25);
    expect(recorded.filter((action) => wordsFor(action) === action)).toEqual([]);
  });

  it("shows what it does not know as it is", () => {
    expect(wordsFor("POST /from/a/later/version")).toBe("POST /from/a/later/version");
  });
});
