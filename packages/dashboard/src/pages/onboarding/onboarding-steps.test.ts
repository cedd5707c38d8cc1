import { describe, expect, it } from "vitest";
import { findAdjacentStep, firstVisitorConversation, readStep } from "./onboarding-steps.ts";

describe("the onboarding steps", () => {
  it("start with the name step", () => {
    expect(readStep({})).toBe("name");
    expect(readStep({ step: "embed" })).toBe("name");
    expect(readStep({ agentId: "agent_1" })).toBe("know");
    expect(readStep({ agentId: "agent_1", step: "arrive" })).toBe("arrive");
    expect(readStep({ agentId: "agent_1", step: "<script>" })).toBe("know");
  });

  it("know the previous and the next step", () => {
    expect([findAdjacentStep("name", -1), findAdjacentStep("name", 1)]).toEqual([null, "know"]);
    expect([findAdjacentStep("arrive", -1), findAdjacentStep("arrive", 1)]).toEqual(["embed", null]);
  });

  it("wait for a conversation of a visitor", () => {
    const at = (id: string, userEmail: string | null) => ({ id, title: id, userEmail, createdAt: "2026-01-01" });
    const own = at("own", "owner@shop.example");
    expect(firstVisitorConversation([own, own], "owner@shop.example")).toBeNull();
    expect(firstVisitorConversation([], "owner@shop.example")).toBeNull();
    const listed = [at("second", "ada@example.com"), own, at("first", null), own];
    expect(firstVisitorConversation(listed, "owner@shop.example")?.id).toBe("first");
  });
});
