import Type, { type Static } from "typebox";
import { maxIdentityLength, maxUserTokenLength } from "../rules/limits.ts";
import { idParams, inEnvelope, nullable, ref, stringEnum, Timestamp, withDescription } from "../schema.ts";

/** How much is known about who a visitor is. */
export const VisitorIdentity = stringEnum(
  ["anonymous", "claimed", "verified"],
  "`verified`: a `userToken` or `userHash` proved the id. `claimed`: the page named the visitor without a proof.",
);
export type VisitorIdentity = Static<typeof VisitorIdentity>;

const Claims = Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true });

/** What a visitor proved. A `userHash` proves the id alone. */
export const VerifiedVisitor = Type.Object(
  {
    id: Type.String(),
    email: nullable(Type.String()),
    name: nullable(Type.String()),
    claims: Claims,
  },
  { $id: "VerifiedVisitor" },
);
export type VerifiedVisitor = Static<typeof VerifiedVisitor>;

/** A visitor to act as. The limits are those of a `userToken`. */
export const ActingVisitor = Type.Object({
  id: Type.String({ minLength: 1, maxLength: maxIdentityLength, description: "The user's id on your site" }),
  email: Type.Optional(
    nullable(Type.String({ maxLength: maxIdentityLength, description: "The user's email address" })),
  ),
  name: Type.Optional(nullable(Type.String({ maxLength: maxIdentityLength, description: "The user's name" }))),
  claims: Type.Optional(
    nullable(withDescription(Claims, { description: "Further facts about the user, at most 8 KB of JSON" })),
  ),
});
export type ActingVisitor = Static<typeof ActingVisitor>;

export const userToken = Type.Optional(
  nullable(
    Type.String({
      maxLength: maxUserTokenLength,
      description:
        "JWT that your server signs for its signed-in user: HS256 with the agent's identity secret, `sub` (the user's id), `aud` (the agent's id), `iat`, `exp` (at most 24 hours later), and optionally `email`, `name` and `claims` (an object of at most 8 KB). Its fields replace `userId`, `userEmail` and `userName`. An invalid token is 401 `INVALID_USER_TOKEN`.",
    }),
  ),
);

const tags = ["Agents"];
const params = idParams("agent");
const config = { access: "account" } as const;

export const checkIdentityToken = {
  method: "POST",
  url: "/agents/:id/identity-token/check",
  config,
  schema: {
    tags,
    summary: "Check a visitor's token and see what it proves",
    params,
    body: Type.Object({ token: Type.String({ maxLength: maxUserTokenLength, description: "The token to check" }) }),
    response: {
      200: inEnvelope(
        Type.Object({
          valid: Type.Boolean(),
          reason: nullable(Type.String({ description: "Why the token is not valid" })),
          visitor: Type.Unsafe<VerifiedVisitor | null>({ anyOf: [ref(VerifiedVisitor), { type: "null" }] }),
          expiresAt: nullable(Timestamp),
        }),
      ),
    },
  },
} as const;

/** For the playground. It lets the caller act as any visitor, so it requires the same role as the identity secret. */
export const createIdentityToken = {
  method: "POST",
  url: "/agents/:id/identity-token",
  config,
  schema: {
    tags,
    summary: "Sign a token for a test visitor. It is valid for one hour.",
    params,
    body: ActingVisitor,
    response: { 200: inEnvelope(Type.Object({ token: Type.String(), expiresAt: Timestamp })) },
  },
} as const;
