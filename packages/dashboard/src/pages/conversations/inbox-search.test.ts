import { expect, it } from "vitest";
import { describeFilters, toListQuery } from "./inbox-search.ts";

it("filters conversations that the agent handles, except in the views of those that people handle", () => {
  expect(toListQuery("agent_1", { handler: "agent" })).toEqual({ agentId: "agent_1", handler: "agent" });
  expect(describeFilters({ handler: "agent" })).toEqual([{ name: "handler", text: "With the agent" }]);
  expect(toListQuery("agent_1", { handler: "agent", view: "waiting" })).toEqual({ handler: "waiting" });
  expect(describeFilters({ handler: "agent", view: "waiting" })).toEqual([]);
  // The parameter can come from an old or hand-written link.
  expect(toListQuery("agent_1", { handler: "everybody" })).toEqual({ agentId: "agent_1" });
});

it("lists the unread conversations of all agents or of one, with the other filters", () => {
  expect(toListQuery("agent_1", { view: "unread", handler: "agent" })).toEqual({ handler: "agent", unread: true });
  expect(toListQuery("agent_1", { view: "unread", scope: "agent" })).toEqual({ agentId: "agent_1", unread: true });
  expect(describeFilters({ view: "unread", scope: "agent" })).toEqual([{ name: "scope", text: "Only this agent" }]);
});

it("shows a view that has no tab as a filter that can be removed", () => {
  expect(describeFilters({ view: "human" })).toEqual([{ name: "view", text: "With the team" }]);
  expect(describeFilters({ view: "open" })).toEqual([]);
});

it("filters by a tag in every view, and names it once the tags have loaded", () => {
  const tags = [{ id: "tag_1", name: "refund" }];
  expect(toListQuery("agent_1", { tag: "tag_1" })).toEqual({ agentId: "agent_1", tag: "tag_1" });
  expect(toListQuery("agent_1", { tag: "tag_1", view: "waiting" })).toEqual({ handler: "waiting", tag: "tag_1" });
  const described = (tag: string, known?: typeof tags) => describeFilters({ tag }, known)[0]?.text;
  expect(described("tag_1")).toBe("Tag");
  expect(described("tag_1", tags)).toBe("Tagged refund");
  expect(described("tag_2", tags)).toBe("Deleted tag");
});
