import { expect, it } from "vitest";
import { describeFilters, toListQuery } from "./inbox-search.ts";

it("filters conversations that the agent handles, except in the views of those that people handle", () => {
  expect(toListQuery("agent_1", { handler: "agent" })).toEqual({ agentId: "agent_1", handler: "agent" });
  expect(describeFilters({ handler: "agent" })).toEqual([{ name: "handler", text: "With the agent" }]);
  expect(toListQuery("agent_1", { handler: "agent", view: "waiting" })).toEqual({ handler: "waiting" });
  expect(describeFilters({ handler: "agent", view: "waiting" })).toEqual([]);
  // An old or hand-written link.
  expect(toListQuery("agent_1", { handler: "everybody" })).toEqual({ agentId: "agent_1" });
});
