import { expect, it } from "vitest";
import { findAgentPage } from "./destinations.tsx";

it.each([
  ["/agents/agent_1", "/agents/$agentId"],
  ["/agents/agent_1/knowledge", "/agents/$agentId/knowledge"],
  ["/agents/agent_1/knowledge/doc_1", "/agents/$agentId/knowledge"],
  ["/agents/agent_1/conversations/conv_1", "/agents/$agentId/conversations"],
  ["/agents/agent_1/unknown", "/agents/$agentId"],
  ["/agents", "/agents/$agentId"],
  ["/settings/members", "/agents/$agentId"],
])("choosing another agent on %s opens %s of that agent", (pathname, page) => {
  expect(findAgentPage(pathname)).toBe(page);
});
