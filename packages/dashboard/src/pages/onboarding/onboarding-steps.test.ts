import { describe, expect, it } from "vitest";
import { firstOfVisitors, stepBeside, stepOf } from "./onboarding-steps.ts";

describe("the steps of the guided start", () => {
  it("begin with a name, and go on with an agent that has one", () => {
    expect(stepOf({})).toBe("name");
    expect(stepOf({ step: "embed" })).toBe("name");
    expect(stepOf({ agentId: "agent_1" })).toBe("know");
    expect(stepOf({ agentId: "agent_1", step: "arrive" })).toBe("arrive");
    expect(stepOf({ agentId: "agent_1", step: "<script>" })).toBe("know");
  });

  it("have one before and one after, but for the ends", () => {
    expect([stepBeside("name", -1), stepBeside("name", 1)]).toEqual([null, "know"]);
    expect([stepBeside("arrive", -1), stepBeside("arrive", 1)]).toEqual(["embed", null]);
  });

  it("wait for somebody else's conversation, not for the owner's own", () => {
    const at = (id: string, userEmail: string | null) => ({ id, title: id, userEmail, createdAt: "2026-01-01" });
    const own = at("own", "owner@shop.example");
    expect(firstOfVisitors([own, own], "owner@shop.example")).toBeNull();
    expect(firstOfVisitors([], "owner@shop.example")).toBeNull();
    const listed = [at("second", "ada@example.com"), own, at("first", null), own];
    expect(firstOfVisitors(listed, "owner@shop.example")?.id).toBe("first");
  });
});
