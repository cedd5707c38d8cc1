import { describe, expect, it } from "vitest";
import { authorName, versionOptions } from "./version-names.ts";

const version = (number: number, isLive = false) => ({
  version: number,
  hash: "",
  note: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  createdBy: null,
  isLive,
});

describe("the names of an agent's versions", () => {
  it("names an API key as such", () => {
    expect(authorName({ type: "key", id: "key_1", name: "CI" })).toBe("API key CI");
  });

  it("offers listed versions, newest first, with the live one marked", () => {
    const options = versionOptions([version(2, true), version(1)], { hasDraft: false, chosen: ["1", "2"] });
    expect(options.map(({ label }) => label)).toEqual(["Version 2 (live)", "Version 1"]);
  });

  it("offers a chosen version that is on another page of the list", () => {
    const options = versionOptions([version(60, true)], { hasDraft: false, chosen: ["3", "60"] });
    expect(options.map(({ value }) => value)).toEqual(["60", "3"]);
  });

  it("offers the draft of an agent that is published by hand", () => {
    expect(versionOptions([], { hasDraft: true, chosen: [] })).toEqual([{ value: "draft", label: "Draft" }]);
  });
});
