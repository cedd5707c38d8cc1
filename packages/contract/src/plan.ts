import Type, { type Static } from "typebox";
import { nullable, ref } from "./schema.ts";

const unlimited = "`null` means unlimited";

export const AgentUsage = Type.Object({
  id: Type.String(),
  name: Type.String(),
  tools: Type.Integer(),
  tokensThisMonth: Type.Integer(),
  monthlyTokenBudget: nullable(Type.Integer({ description: unlimited })),
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
      operatorTokensPerMonth: nullable(
        Type.Integer({ description: `With the server's provider keys, not the organization's own; ${unlimited}` }),
      ),
    }),
    usage: Type.Object({
      requestsThisMinute: Type.Integer(),
      operatorTokensThisMonth: Type.Integer(),
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
