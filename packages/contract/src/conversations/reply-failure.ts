import Type, { type Static } from "typebox";
import { nullable, Timestamp } from "../schema.ts";

/** Why a reply failed, for members of the organization. */
export const ReplyFailure = Type.Object(
  {
    code: Type.String({ description: "The error code with which the visitor's stream ended" }),
    message: Type.String({
      description: "The provider's message without keys and addresses, at most 2,000 characters",
    }),
    provider: nullable(Type.String({ description: "Such as `openai`. `null` if the provider was not the cause." })),
    model: nullable(Type.String()),
    providerStatus: nullable(Type.Integer({ description: "The provider's HTTP status, if it answered" })),
    at: Timestamp,
  },
  { $id: "ReplyFailure" },
);
export type ReplyFailure = Static<typeof ReplyFailure>;
