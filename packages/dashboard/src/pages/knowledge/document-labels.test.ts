import { describe, expect, it } from "vitest";
import { completeAddress, describeAdded, describeKind, describeState, formatSize } from "./document-labels.ts";

const nothing = { done: 0, total: 0 };

describe("the state of a document in words", () => {
  it("names the stage and its progress", () => {
    const reading = { state: "processing", stage: "extracting", progress: { done: 3, total: 12 } } as const;
    expect(describeState(reading)).toBe("Reading, 3 of 12");
    expect(describeState({ ...reading, progress: nothing })).toBe("Reading");
    expect(describeState({ state: "processing", stage: null, progress: nothing })).toBe("Processing");
    expect(describeState({ state: "queued", stage: null, progress: nothing })).toBe("Waiting");
  });

  it("names the format of a file", () => {
    expect(describeKind({ kind: "file", mimeType: "application/pdf" })).toBe("PDF");
    expect(describeKind({ kind: "file", mimeType: "text/plain; charset=utf-8" })).toBe("Plain text");
    expect(describeKind({ kind: "file", mimeType: "application/x-unknown" })).toBe("File");
    expect(describeKind({ kind: "page", mimeType: "text/html" })).toBe("Web page");
  });

  it("sums up the files of an upload", () => {
    const added = { title: "prices.txt", state: "queued" } as const;
    const known = { title: "hours.txt", state: "ready" } as const;
    expect(describeAdded([added])).toBe("prices.txt added");
    expect(describeAdded([known])).toBe("hours.txt already exists");
    expect(describeAdded([added, added, known])).toBe("2 files added, 1 file already exists");
  });

  it("completes an address without a scheme", () => {
    expect(completeAddress(" harbour-bikes.example ")).toBe("https://harbour-bikes.example");
    expect(completeAddress("localhost:3000/help")).toBe("https://localhost:3000/help");
    expect(completeAddress("http://harbour-bikes.example")).toBe("http://harbour-bikes.example");
    expect(completeAddress("ftp://harbour-bikes.example")).toBe("ftp://harbour-bikes.example");
    expect(completeAddress("")).toBe("");
  });

  it("formats sizes in the largest suitable unit", () => {
    expect([0, 1, 79].map(formatSize)).toEqual(["0 bytes", "1 byte", "79 bytes"]);
    expect(formatSize(3_400_000)).toBe("3.4 MB");
    expect(formatSize(26_214_400)).toBe("26.2 MB");
  });
});
