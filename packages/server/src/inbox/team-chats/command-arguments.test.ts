import { expect, it } from "vitest";
import { findNamedMember, parseSnooze } from "./command-arguments.ts";

it.each([
  ["30m", 1_800_000],
  ["2h", 7_200_000],
  ["2 hours", 7_200_000],
  ["3D", 259_200_000],
  ["1w", 604_800_000],
])("snoozes for %s", (argument, ms) => {
  expect(parseSnooze(argument, "/")).toBe(ms);
});

it.each(["", "soon", "0h", "2", "2x", "-1h", "99999h"])("refuses to snooze for %j", (argument) => {
  expect(() => parseSnooze(argument, "/")).toThrow("such as /snooze 2h");
});

const members = [
  { id: "1", name: "Ada Lovelace", email: "ada@example.com" },
  { id: "2", name: "Ada Byron", email: "byron@example.com" },
  { id: "3", name: "", email: "bea@example.com" },
];

it.each([
  ["@Ada Lovelace", "1"],
  ["ada byron", "2"],
  ["@byron", "2"],
  ["@BEA", "3"],
  ["@ada", "1"],
])("finds the member named %s", (argument, id) => {
  expect(findNamedMember(members, argument).id).toBe(id);
});

it.each(["", "@", "@charles"])("refuses to assign to %j", (argument) => {
  expect(() => findNamedMember(members, argument)).toThrow("no member");
});

it("refuses a first name that several members have", () => {
  const named = members.map((member) => ({ ...member, email: `${member.id}@example.com` }));
  expect(() => findNamedMember(named, "@ada")).toThrow("several members");
});
