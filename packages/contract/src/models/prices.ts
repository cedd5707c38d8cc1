import Type, { type Static } from "typebox";
import { textPatterns } from "../rules/text-patterns.ts";
import { inEnvelope, nullable, ref, Success, stringEnum } from "../schema.ts";

const perMillion = (what: string) =>
  Type.Number({ minimum: 0, maximum: 1_000_000, description: `${what}, per million tokens` });
const prices = {
  input: perMillion("Price of input tokens"),
  cachedInput: nullable(
    perMillion("Price of input tokens that the provider reads from its cache; `null` if they cost as much as others"),
  ),
  output: perMillion("Price of output tokens"),
};
const currency = Type.String({
  pattern: textPatterns.currency,
  description: "Code of the currency (ISO 4217), such as `USD`",
});

export const ModelPrice = Type.Object(
  {
    model: Type.String({ description: "Id of the model" }),
    ...prices,
    currency,
    date: Type.String({ description: "The day on which the price was set or read, such as `2026-01-31`" }),
    source: stringEnum(["file", "account"], "`file`: shipped with Foyer. `account`: set by the organization."),
  },
  { $id: "ModelPrice" },
);
export type ModelPrice = Static<typeof ModelPrice>;

const tags = ["Models"];
const config = { access: "account" } as const;
const params = Type.Object({
  model: Type.String({ minLength: 1, maxLength: 200, description: "Id of the model, URL-encoded: `openai%2Fgpt-5`" }),
});

export const listModelPrices = {
  method: "GET",
  url: "/models/prices",
  config,
  schema: {
    tags,
    summary: "List the prices of models",
    description:
      "The organization's own prices, and those that Foyer ships with. The shipped ones are in USD, and are not used by an organization that has set prices in another currency.",
    response: { 200: inEnvelope(Type.Array(ref(ModelPrice))) },
  },
} as const;

export const putModelPrice = {
  method: "PUT",
  url: "/models/prices/:model",
  config,
  schema: {
    tags,
    summary: "Set the price of a model",
    description:
      "Replies that are stored already keep their cost. All prices of an organization have the same currency.",
    params,
    body: Type.Object({
      input: prices.input,
      cachedInput: Type.Optional(prices.cachedInput),
      output: prices.output,
      currency: Type.Optional(currency),
    }),
    response: { 200: inEnvelope(ref(ModelPrice)) },
  },
} as const;

export const deleteModelPrice = {
  method: "DELETE",
  url: "/models/prices/:model",
  config,
  schema: {
    tags,
    summary: "Delete the organization's own price of a model",
    params,
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const estimateModelCosts = {
  method: "GET",
  url: "/models/costs",
  config,
  schema: {
    tags,
    summary: "Calculate what past replies would have cost with a model",
    description: "Calculated from the stored tokens and today's prices. Without `model`, the cost as it was recorded.",
    querystring: Type.Object({
      agentId: Type.Optional(Type.String({ description: "Only this agent's replies" })),
      from: Type.Optional(
        Type.String({ format: "date-or-date-time", description: "First day in UTC. Defaults to 30 days ago." }),
      ),
      to: Type.Optional(
        Type.String({ format: "date-or-date-time", description: "Last day in UTC. Defaults to today." }),
      ),
      model: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Id of the model" })),
    }),
    response: {
      200: inEnvelope(
        Type.Object({
          cost: nullable(Type.Number({ description: "`null` if the price of the model is unknown" })),
          currency: Type.String(),
          replies: Type.Integer({ description: "Replies in the range" }),
          unknownCostReplies: Type.Integer({ description: "Replies that are not part of `cost`" }),
        }),
      ),
    },
  },
} as const;
