import Type, { type Static } from "typebox";

/** Token counts from the provider, over all steps of the reply and its follow-up questions. */
export const Usage = Type.Object(
  {
    inputTokens: Type.Integer(),
    cachedInputTokens: Type.Integer({ description: "The part of `inputTokens` that the provider read from its cache" }),
    outputTokens: Type.Integer(),
  },
  {
    description:
      "Token usage as the model provider counted it, over all steps of the reply and its follow-up questions",
  },
);
export type Usage = Static<typeof Usage>;
