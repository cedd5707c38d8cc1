import { expect, it } from "vitest";
import { findNameProblem, toPlainName } from "./plain-name.ts";

it.each([
  "Harbour Bikes",
  "J. R. Smith",
  "J.R. Smith",
  "Łódź & Söhne GmbH",
  "日本語の会社",
  "St. Gallen Velo",
  "a".repeat(60),
])("plainNameProblem accepts the name %j", (name) => expect(findNameProblem(name)).toBeNull());

it.each([
  ["", "must not be blank"],
  [" \t", "must not be blank"],
  ["a".repeat(61), "must be at most 60 characters long"],
  ["Bank\nYour account is locked", "must not contain line breaks or control characters"],
  ["Bank\u2028locked", "must not contain line breaks or control characters"],
  ["Locked! https://evil.example/unlock", "must not contain a web address"],
  ["Locked! evil.example", "must not contain a web address"],
])("plainNameProblem refuses the name %j", (name, problem) => expect(findNameProblem(name)).toBe(problem));

it("toPlainName turns any text into a valid name or the fallback", () => {
  expect(toPlainName("Ada\nLovelace  https://evil.example", "Someone")).toBe("Ada Lovelace");
  expect(toPlainName("www.evil.example", "Someone")).toBe("Someone");
  expect(findNameProblem(toPlainName("a ".repeat(100), "Someone"))).toBeNull();
});
