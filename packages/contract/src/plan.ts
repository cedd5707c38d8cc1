import Type, { type Static } from "typebox";
import { nullable, ref } from "./schema.ts";

const unlimited = "`null` means unlimited";

export const AgentUsage = Type.Object({
  id: Type.String(),
  name: Type.String(),
  tools: Type.Integer(),
  tokensThisMonth: Type.Integer(),
  monthlyTokenBudget: nullable(Type.Integer({ description: unlimited })),
  conversationsThisMonth: Type.Integer({ description: "Those that began in it and were not deleted" }),
  submissionsThisMonth: Type.Integer({ description: "Those that were not deleted" }),
});
export type AgentUsage = Static<typeof AgentUsage>;

export const Plan = Type.Object(
  {
    planId: Type.String(),
    limits: Type.Object({
      requestsPerMinute: nullable(Type.Integer({ description: `With API keys; ${unlimited}` })),
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
    summary: "What the account's plan allows, and what was used of it; months are UTC",
    response: { 200: ref(Plan) },
  },
} as const;
