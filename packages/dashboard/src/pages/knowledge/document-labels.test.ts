import { describe, expect, it } from "vitest";
import { describeState, formatSize } from "./document-labels.ts";

const nothing = { done: 0, total: 0 };

describe("the state of a document in words", () => {
  it("names the stage and its progress", () => {
    const reading = { state: "processing", stage: "extracting", progress: { done: 3, total: 12 } } as const;
    expect(describeState(reading)).toBe("Reading, 3 of 12");
    expect(describeState({ ...reading, progress: nothing })).toBe("Reading");
    expect(describeState({ state: "processing", stage: null, progress: nothing })).toBe("Processing");
    expect(describeState({ state: "queued", stage: null, progress: nothing })).toBe("Waiting");
  });

  it("formats sizes in the largest suitable unit", () => {
    expect([0, 1, 79].map(formatSize)).toEqual(["0 bytes", "1 byte", "79 bytes"]);
    expect(formatSize(3_400_000)).toBe("3.4 MB");
    expect(formatSize(26_214_400)).toBe("26.2 MB");
  });
});
