import { expect, it } from "vitest";
import { combineActions } from "./composer-text.ts";
import { describeActions } from "./describe-actions.ts";

const known = {
  tags: [{ id: "tag_1", name: "refund" }],
  members: [{ id: "user_1", name: "", email: "ben@shop.example" }],
  teams: [{ id: "team_1", name: "Workshop" }],
};

it.each([
  [{ tagIds: ["tag_1"], resolve: true }, "tag refund, resolve"],
  [{ snoozeMinutes: 90 }, "snooze for 90 minutes"],
  [{ snoozeMinutes: 60 }, "snooze for 1 hour"],
  [{ snoozeMinutes: 4_320 }, "snooze for 3 days"],
  [{ assign: { userId: "user_1", teamId: "team_1" } }, "assign to ben@shop.example in Workshop"],
  [{ tagIds: ["tag_2"], assign: { teamId: "team_2" } }, "tag (deleted tag), assign to (deleted team)"],
  [{ assign: { userId: "user_2" } }, "assign to (former member)"],
])("describes the actions %j as %j", (actions, text) => {
  expect(describeActions(actions, known)).toBe(text);
});

it("does not call anything deleted before its name has loaded", () => {
  const actions = { tagIds: ["tag_1"], assign: { userId: "user_1", teamId: "team_1" } };
  const names = { tags: undefined, members: undefined, teams: undefined };
  expect(describeActions(actions, names)).toBe("tag …, assign to … in …");
});

it("keeps the tags of two canned replies in one message, and the next step of the later one", () => {
  const first = { tagIds: ["tag_1"], resolve: true };
  expect(combineActions(first, { tagIds: ["tag_1", "tag_2"] })).toEqual({ tagIds: ["tag_1", "tag_2"], resolve: true });
  expect(combineActions(first, { snoozeMinutes: 60 })).toEqual({ tagIds: ["tag_1"], snoozeMinutes: 60 });
});
