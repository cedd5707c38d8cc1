import { describe, expect, it } from "vitest";
import type { AgentTools } from "../use-all-tools.ts";
import { findSecretUses } from "./secret-uses.ts";

type Tool = AgentTools["tools"][number];
const agent = { id: "agent_1", name: "Harbour" } as AgentTools["agent"];
const tool = (id: string, parts: Partial<Tool>) =>
  ({ id, name: id, httpUrl: null, httpHeaders: null, ...parts }) as Tool;

describe("the uses of a secret", () => {
  it("finds secrets in URLs and headers", () => {
    const url = "https://stock.example/{{ KEY }}/{sku}?again={{KEY}}";
    const tools = [
      tool("stock", { httpUrl: url, httpHeaders: { authorization: "Bearer {{TOKEN}}" } }),
      tool("hours", { httpUrl: "https://hours.example/{day}" }),
      tool("mock", {}),
    ];
    const uses = findSecretUses([{ agent, tools }]);
    const use = { agentId: "agent_1", agentName: "Harbour", toolId: "stock", toolName: "stock" };
    expect([...uses]).toEqual([
      ["KEY", [use]],
      ["TOKEN", [use]],
    ]);
  });
});
