import { expect, it } from "vitest";
import type { Change } from "../conversations/log/change.ts";
import { createConversationEvents } from "./conversation-events.ts";
import type { NewEvent } from "./record-events.ts";

it("reports that a budget is used up although the reply's conversation was deleted", async () => {
  const recorded: NewEvent[] = [];
  const listener = createConversationEvents(
    async (_, events) => void recorded.push(...events),
    () => expect.fail("no message has attachments"),
  );
  const used: Change = {
    kind: "tokens_used",
    organizationId: "org_1",
    agentId: "agent_1",
    conversationId: null,
    agent: { monthlyTokenBudget: 100, monthlyCostBudget: null },
    month: "2026-01",
    tokens: 120,
    added: 30,
    cost: 0,
    tokensNotifiedAt: null,
    costNotifiedAt: null,
  };
  await listener({} as never, [used], { request: async () => false });
  expect(recorded.map(({ type, conversationId }) => [type, conversationId])).toEqual([["agent.budget_reached", null]]);
});
