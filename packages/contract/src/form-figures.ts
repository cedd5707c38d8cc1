import Type, { type Static } from "typebox";
import { oneOf, ref } from "./schema.ts";

const formCounts = {
  impressions: Type.Integer(),
  started: Type.Integer(),
  submitted: Type.Integer(),
  successful: Type.Integer(),
  failed: Type.Integer(),
};

export const FormAnalyticsDay = Type.Object({
  date: Type.String({ description: "The day in UTC, such as 2026-01-31" }),
  ...formCounts,
});
export type FormAnalyticsDay = Static<typeof FormAnalyticsDay>;

export const FormAnalyticsEntry = Type.Object(
  {
    toolId: Type.String(),
    toolName: Type.String(),
    ...formCounts,
    conversionRate: Type.Number({ description: "submitted / impressions × 100" }),
    completionRate: Type.Number({ description: "submitted / started × 100" }),
    fieldCompletionRates: Type.Unsafe<Record<string, number>>({
      type: "object",
      additionalProperties: { type: "number" },
      description: "Field → share of the started forms in which it was filled in, × 100",
    }),
    days: Type.Optional(
      Type.Array(FormAnalyticsDay, {
        description: "With `groupBy=day`: the days that have something, oldest first; the newest 366 of the range",
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
    summary: "How an agent's forms do",
    querystring: Type.Object({
      agentId: Type.String({ minLength: 1 }),
      from: Type.Optional(Type.String({ format: "date-or-date-time", description: "First day, in UTC" })),
      to: Type.Optional(Type.String({ format: "date-or-date-time", description: "Last day, in UTC; it counts whole" })),
      groupBy: Type.Optional(oneOf(["day"], "Adds `days` to each entry")),
    }),
    response: { 200: Type.Object({ analytics: Type.Array(ref(FormAnalyticsEntry)) }) },
  },
} as const;
