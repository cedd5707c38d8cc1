import Type, { type Static } from "typebox";
import { maxRatingCommentLength, maxRatingQuestionLength } from "../rules/limits.ts";
import { idParams, inEnvelope, nullable, refOrNull, stringEnum, Timestamp, withDescription } from "../schema.ts";

/** The conversations for which an agent asks for a rating. */
export const ratedConversations = ["handed_over", "all"] as const;
export type RatedConversations = (typeof ratedConversations)[number];

/** The settings of an agent that concern ratings. */
export const ratingSettings = {
  askRating: nullable(
    stringEnum(
      ratedConversations,
      "The conversations that visitors are asked to rate once they have ended: those that a member of the team had, or `all`. `null`, the default, asks for none.",
    ),
  ),
  ratingQuestion: nullable(
    Type.String({
      maxLength: maxRatingQuestionLength,
      description: "The question that asks for the rating. `null` asks in the visitor's language.",
    }),
  ),
};

const score = Type.Integer({ minimum: 1, maximum: 5, description: "From 1, very bad, to 5, very good" });

export const ConversationRating = Type.Object(
  {
    score,
    comment: nullable(Type.String()),
    ratedAt: withDescription(Timestamp, { description: "When the visitor first rated the conversation" }),
  },
  { $id: "ConversationRating", description: "A visitor's rating of a whole conversation" },
);
export type ConversationRating = Static<typeof ConversationRating>;

export const WidgetRating = Type.Object(
  { question: nullable(Type.String({ description: "`null` for the question in the visitor's language" })) },
  { $id: "WidgetRating" },
);

const RatingRequest = Type.Object({
  isAsked: Type.Boolean({
    description:
      "Whether the agent asked the visitor to rate the conversation. It asks once, when the conversation ends, and the question is open for 30 days. `false` while a person has the conversation or the visitor waits for one, and while a conversation that only the agent answers is open.",
  }),
  canRate: Type.Boolean({
    description: "Whether a rating is accepted now: the first one, or a correction within a day of it",
  }),
  question: nullable(Type.String({ description: "The agent's own question. `null` if it has none." })),
  rating: refOrNull(ConversationRating, { description: "`null` if the visitor has not rated the conversation" }),
});
export type RatingRequest = Static<typeof RatingRequest>;

const tags = ["Conversations"];
const params = idParams("conversation");
const config = { access: "conversation", crossOrigin: true } as const;

export const getRatingRequest = {
  method: "GET",
  url: "/conversations/:id/rating",
  config,
  schema: {
    tags,
    summary: "Read whether the visitor is asked to rate the conversation, and the rating",
    description: "When a visitor's page reads that it is asked, the question counts as seen and is not sent by email.",
    params,
    response: { 200: inEnvelope(RatingRequest) },
  },
} as const;

export const rateConversation = {
  method: "POST",
  url: "/conversations/:id/rating",
  config,
  schema: {
    tags,
    summary: "Rate a conversation",
    description:
      "Once per conversation, after the agent asked for it (`askRating`). Within a day, the visitor can correct the rating and its comment up to 10 times; it stays one rating. A signed-in member gets 403, except for their own test chats, because ratings are counted for members.",
    params,
    body: Type.Object({
      score,
      comment: Type.Optional(
        nullable(
          Type.String({
            maxLength: maxRatingCommentLength,
            description: "The reason for the rating. A correction without a comment removes it.",
          }),
        ),
      ),
    }),
    response: { 200: inEnvelope(ConversationRating) },
  },
} as const;
