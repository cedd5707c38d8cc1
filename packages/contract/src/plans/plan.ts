import Type, { type Static } from "typebox";
import { nullable, ref } from "../schema.ts";

const unlimited = "`null` means unlimited";

export const AgentUsage = Type.Object({
  id: Type.String(),
  name: Type.String(),
  tools: Type.Integer(),
  documents: Type.Integer(),
  chatBytesToday: Type.Integer(),
  submissionBytesToday: Type.Integer(),
  tokensThisMonth: Type.Integer(),
  monthlyTokenBudget: nullable(Type.Integer({ description: unlimited })),
  costThisMonth: Type.Number({
    description: "What replies and drafts cost, in the organization's currency, without those of unknown cost",
  }),
  monthlyCostBudget: nullable(Type.Number({ description: unlimited })),
  conversationsThisMonth: Type.Integer({
    description: "Conversations started this month, with test chats and without deleted ones",
  }),
  submissionsThisMonth: Type.Integer({ description: "Submissions of this month, without deleted ones" }),
});
export type AgentUsage = Static<typeof AgentUsage>;

export const Plan = Type.Object(
  {
    planId: Type.String(),
    limits: Type.Object({
      requestsPerMinute: nullable(Type.Integer({ description: `Requests with API keys. ${unlimited}` })),
      toolsPerAgent: nullable(Type.Integer({ description: unlimited })),
      agents: nullable(Type.Integer({ description: unlimited })),
      documentsPerAgent: nullable(Type.Integer({ description: unlimited })),
      documentBytes: nullable(Type.Integer({ description: `Original files of all documents. ${unlimited}` })),
      documentBytesPerDay: nullable(
        Type.Integer({ description: `Original files of documents added on one day, in UTC. ${unlimited}` }),
      ),
      chatBytesPerAgentPerDay: nullable(
        Type.Integer({ description: `Text that visitors send to one agent on one day, in UTC. ${unlimited}` }),
      ),
      submissionBytesPerAgentPerDay: nullable(
        Type.Integer({
          description: `Form submissions to one agent with their files, on one day in UTC. ${unlimited}`,
        }),
      ),
      operatorTokensPerMonth: nullable(
        Type.Integer({ description: `With the server's provider keys, not the organization's own; ${unlimited}` }),
      ),
    }),
    usage: Type.Object({
      requestsThisMinute: Type.Integer(),
      operatorTokensThisMonth: Type.Integer(),
      documentBytes: Type.Integer(),
      documentBytesToday: Type.Integer(),
      agents: Type.Array(AgentUsage),
    }),
  },
  { $id: "Plan" },
);
export type Plan = Static<typeof Plan>;

export const getPlan = {
  method: "GET",
  url: "/plan",
  config: { access: "account" },
  schema: {
    tags: ["Plan"],
    summary: "Read the plan's limits and the current usage. Months are in UTC.",
    response: { 200: ref(Plan) },
  },
} as const;
