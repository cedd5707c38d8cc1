import { expect, it } from "vitest";
import { type Assignee, findAssignee, parseSnooze } from "./command-arguments.ts";

it.each([
  ["30m", 1_800_000],
  ["2h", 7_200_000],
  ["2 hours", 7_200_000],
  ["5 MINS", 300_000],
  ["3D", 259_200_000],
  ["1w", 604_800_000],
  ["52 weeks", 31_449_600_000],
])("snoozes for %s", (argument, ms) => {
  expect(parseSnooze(argument, "/")).toBe(ms);
});

it.each(["", "soon", "tomorrow", "0h", "2", "2x", "-1h", "1.5h", "1h30m", "2 months", "2h please", "@ada"])(
  "refuses to snooze for %j, and says what is right",
  (argument) => {
    expect(() => parseSnooze(argument, "!")).toThrow("such as !snooze 30m, !snooze 2h, !snooze 3d or !snooze 1w");
  },
);

it.each(["99999h", "53w", "367 days", "999999w"])("refuses to snooze for %s, which is more than a year", (argument) => {
  expect(() => parseSnooze(argument, "/")).toThrow("a year at most");
});

const member = (id: string, name: string, email: string): Assignee => ({ id, kind: "member", name, email });
const members = [
  member("1", "Ada Lovelace", "ada@example.com"),
  member("2", "Ada  Byron", "byron@example.com"),
  member("3", "", "bea@example.com"),
  member("4", "Workshop Wim", "wim@example.com"),
];
const teams: Assignee[] = [
  { id: "5", kind: "team", name: "Sales", email: null },
  { id: "6", kind: "team", name: "Night shift", email: null },
  { id: "7", kind: "team", name: "Workshop", email: null },
];
const all = [...members, ...teams];
const find = (argument: string) => findAssignee(all, argument, "/").id;

it.each([
  ["@Ada Lovelace", "1"],
  ["ada\nbyron", "2"],
  ["@byron", "2"],
  ["@BEA", "3"],
  ["@ada", "1"],
  ["lovelace", "1"],
  ["Byron@Example.com", "2"],
  ["wim", "4"],
  ["sales", "5"],
  ["@Night Shift", "6"],
  ["workshop", "7"],
])("finds the member or team named %j", (argument, id) => {
  expect(find(argument)).toBe(id);
});

it.each(["", "@", " @ "])("asks for a name after a command with %j", (argument) => {
  expect(() => find(argument)).toThrow("write the name of a member or a team, such as /assign Ada.");
});

it.each(["@charles", "ada lovelac", "shift", "example.com", "%"])("finds no member or team named %j", (argument) => {
  expect(() => find(argument)).toThrow("no member or team of the organization has this name");
});

it("lists those who share a name, by their email addresses if the whole name is the same", () => {
  const named = [
    member("1", "Ada Lovelace", "one@example.com"),
    member("2", "Ada Lovelace", "two@example.com"),
    member("3", "Ada Byron", "three@example.com"),
    { id: "4", kind: "team", name: "Ada", email: null } as const,
  ];
  expect(findAssignee(named, "ada", "/").id).toBe("4");
  expect(() => findAssignee(named.slice(0, 3), "@ada", "/")).toThrow(
    "several have this name: Ada Lovelace (one@example.com), Ada Lovelace (two@example.com), Ada Byron.",
  );
  const namesakes = [...named.slice(0, 1), { id: "5", kind: "team", name: "ada lovelace", email: null } as const];
  expect(() => findAssignee(namesakes, "Ada Lovelace", "/")).toThrow("Ada Lovelace, ada lovelace (team).");
});
