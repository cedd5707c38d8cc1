import { expect, it } from "vitest";
import { formatInput } from "./page-tools.ts";

it("the question about a tool shows its input without characters that hide text or change its direction", () => {
  expect(
    formatInput({ file_name: "fdp.\u202eexe", "to\u200b": ["ada\u2066@shop.example"], count: 2, none: null }),
  ).toEqual(["file name: fdp.exe", 'to: ["ada@shop.example"]', "count: 2", "none: null"]);
});
