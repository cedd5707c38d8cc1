import { describe, expect, it } from "vitest";
import { findAdjacentStep, readStep } from "./onboarding-steps.ts";

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
});
