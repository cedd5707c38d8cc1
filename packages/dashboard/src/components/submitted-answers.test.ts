import type { FormField } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { formatBytes, isPreviewable, summarizeAnswers, toAnswers } from "./submitted-answers.ts";

const id = "sub_1";
const fields: FormField[] = [
  { name: "name", label: "Your name", type: "text" },
  { name: "bikes", label: " ", type: "multiselect", options: [{ label: "The City One", value: "city-one" }] },
  { name: "day", label: "Day", type: "date" },
  { name: "photo", label: "Photo", type: "image" },
];
const file = {
  file: true,
  name: "helmet.png",
  mediaType: "image/png",
  size: 70,
  url: `/form-submissions/${id}/files/photo`,
};

describe("toAnswers", () => {
  it("lists answers with labels in form order, followed by answers to fields that no longer exist", () => {
    const answers = toAnswers({ color: "red", day: "2027-03-14", bikes: ["city-one", "old"], name: "Ada" }, fields, id);
    expect(answers.map(({ label, text, isGone }) => [label, text, isGone])).toEqual([
      ["Your name", "Ada", false],
      ["bikes", "The City One, old", false],
      ["Day", "Mar 14, 2027", false],
      ["color", "red", true],
    ]);
  });

  it("accepts only files that the server stores for this submission", () => {
    const [kept] = toAnswers({ photo: file }, fields, id);
    expect(kept?.file).toEqual({ name: "helmet.png", mediaType: "image/png", size: 70, url: file.url });
    for (const url of [
      "https://evil.example/",
      "//evil.example",
      "javascript:alert(1)",
      "/form-submissions/sub_2/files/photo",
    ]) {
      const [forged] = toAnswers({ photo: { ...file, url } }, fields, id);
      expect([url, forged?.file]).toEqual([url, null]);
    }
  });

  it("shows all other values as text", () => {
    const data = { a: null, b: true, c: { d: [1] }, e: 12.5, f: "<b>" };
    expect(toAnswers(data, [], id).map(({ text }) => text)).toEqual(["", "Yes", '{"d":[1]}', "12.5", "<b>"]);
  });

  it("leaves an invalid date unchanged", () => {
    for (const day of ["2027-13-77", "tomorrow", "2027-3-1"]) {
      expect(toAnswers({ day }, fields, id)[0]?.text).toBe(day);
    }
  });
});

describe("summarizeAnswers", () => {
  it("summarizes the first non-empty answers", () => {
    const data = { name: " ", day: "2027-03-14", photo: file, more: "one\n two", note: "x".repeat(100) };
    expect(summarizeAnswers(data, fields, id)).toBe(`Mar 14, 2027 · one two · ${"x".repeat(79)}… · 1 file`);
  });

  it("is empty without answers", () => {
    expect(summarizeAnswers({ name: "", bikes: [], more: null }, fields, id)).toBe("");
  });
});

it("isPreviewable accepts images but not SVG", () => {
  const types = [
    "image/png",
    "image/svg+xml",
    "text/html",
    "application/pdf",
    "image/jpeg",
    "application/octet-stream",
  ];
  expect(types.filter(isPreviewable)).toEqual(["image/png", "image/jpeg"]);
});

it("formatBytes formats sizes for people", () => {
  expect([0, 999, 1_000, 48_400, 999_499, 999_500, 5_242_880].map(formatBytes)).toEqual([
    "0 B",
    "999 B",
    "1 KB",
    "48 KB",
    "999 KB",
    "1.0 MB",
    "5.2 MB",
  ]);
});
