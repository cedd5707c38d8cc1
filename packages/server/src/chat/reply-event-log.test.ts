import { expect, it } from "vitest";
import { endEvents } from "./reply-event-log.ts";
import type { EndedReply } from "./reply-turn.ts";

it("reports that a budget is used up although the reply's conversation was deleted", () => {
  const agent = { id: "agent_1", organizationId: "org_1", monthlyTokenBudget: 100 };
  const deleted = { agent, conversationId: "conv_1", end: { id: "msg_1" } } as EndedReply;
  const usage = [{ agentId: agent.id, month: "2026-01", tokens: 120, added: 30 }];
  const events = endEvents([deleted], new Set(), usage);
  expect(events.map(({ type, conversationId }) => [type, conversationId])).toEqual([["agent.budget_reached", null]]);
});
