import Type, { type Static } from "typebox";
import { ref, stringEnum } from "../schema.ts";

const formCounts = {
  impressions: Type.Integer(),
  started: Type.Integer(),
  submitted: Type.Integer(),
  successful: Type.Integer(),
  failed: Type.Integer(),
};

export const FormAnalyticsDay = Type.Object({
  date: Type.String({ description: "The day in UTC, such as `2026-01-31`" }),
  ...formCounts,
});
export type FormAnalyticsDay = Static<typeof FormAnalyticsDay>;

export const FormAnalyticsEntry = Type.Object(
  {
    toolId: Type.String(),
    toolName: Type.String(),
    ...formCounts,
    conversionRate: Type.Number({ description: "Submitted / impressions × 100" }),
    completionRate: Type.Number({ description: "Submitted / started × 100" }),
    fieldCompletionRates: Type.Unsafe<Record<string, number>>({
      type: "object",
      additionalProperties: { type: "number" },
      description: "Maps each field to the percentage of started forms in which it was filled in",
    }),
    days: Type.Optional(
      Type.Array(FormAnalyticsDay, {
        description: "Only with `groupBy=day`. Days with activity, oldest first, at most the newest 366 of the range.",
      }),
    ),
  },
  { $id: "FormAnalyticsEntry" },
);
export type FormAnalyticsEntry = Static<typeof FormAnalyticsEntry>;

export const getFormAnalytics = {
  method: "GET",
  url: "/form-submissions/analytics",
  config: { access: "account" },
  schema: {
    tags: ["Form submissions"],
    summary: "Read the analytics of an agent's forms",
    querystring: Type.Object({
      agentId: Type.String({ minLength: 1, description: "Id of the agent" }),
      from: Type.Optional(Type.String({ format: "date-or-date-time", description: "First day of the range, in UTC" })),
      to: Type.Optional(
        Type.String({ format: "date-or-date-time", description: "Last day of the range, in UTC, included as a whole" }),
      ),
      groupBy: Type.Optional(stringEnum(["day"], "Adds `days` to each entry")),
    }),
    response: { 200: Type.Object({ analytics: Type.Array(ref(FormAnalyticsEntry)) }) },
  },
} as const;
