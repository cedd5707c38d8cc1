import { describe, expect, it } from "vitest";
import { createAnswerText } from "./answer-text.ts";

const answerText = createAnswerText({ locale: "en-GB", dateStyle: "medium", yes: "Yes", no: "No" });
const options = [
  { label: "City One", value: "city" },
  { label: "", value: "tour" },
];

describe("an answer as text", () => {
  it("shows an option's label, or its value without a label", () => {
    expect(answerText({ type: "select", options }, "city")).toBe("City One");
    expect(answerText({ type: "select", options }, "tour")).toBe("tour");
    expect(answerText({ type: "multiselect", options }, ["city", "tour"])).toBe("City One, tour");
  });

  it("shows yes or no for a checkbox, and nothing for a missing answer", () => {
    expect([true, false, null, undefined].map((value) => answerText({ type: "checkbox" }, value))).toEqual([
      "Yes",
      "No",
      "",
      "",
    ]);
  });

  it("shows dates as entered, and leaves invalid dates and dates with a zone unchanged", () => {
    expect(answerText({ type: "date" }, "2026-12-24")).toBe("24 Dec 2026");
    expect(answerText({ type: "datetime" }, "2026-12-24T09:30")).toBe("24 Dec 2026, 09:30");
    for (const text of ["2026-12-24T09:30Z", "2026-12-24T09:30+01:00", "soon", "2026-02-31"]) {
      expect(answerText({ type: "datetime" }, text)).toBe(text);
    }
  });

  it("shows values of fields that the form no longer has unchanged", () => {
    expect([12.5, "<b>", { a: [1] }].map((value) => answerText({ type: null }, value))).toEqual([
      "12.5",
      "<b>",
      '{"a":[1]}',
    ]);
  });
});
