import Type, { type Static } from "typebox";
import { textPatterns } from "../rules/text-patterns.ts";
import { idParams, nullable, ref, Success, Timestamp } from "../schema.ts";

/** An API key without the key itself, which is not stored. */
export const ApiKey = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    start: Type.String({ description: "The first characters of the key" }),
    createdBy: nullable(
      Type.String({
        description: "Name of the member who created the key. `null` if that person is no longer a member.",
      }),
    ),
    createdAt: Timestamp,
    lastUsedAt: nullable(Timestamp),
    expiresAt: nullable(Timestamp),
  },
  { $id: "ApiKey" },
);
export type ApiKey = Static<typeof ApiKey>;

const tags = ["API keys"];
const config = { access: "session" } as const;

export const listApiKeys = {
  method: "GET",
  url: "/api-keys",
  config,
  schema: { tags, summary: "List API keys", response: { 200: Type.Array(ref(ApiKey)) } },
} as const;

export const createApiKey = {
  method: "POST",
  url: "/api-keys",
  config,
  schema: {
    tags,
    summary: "Create an API key. Only this response contains the key.",
    body: Type.Object({
      name: Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: textPatterns.notBlank,
        description: "A name that identifies the key",
      }),
      expiresAt: Type.Optional(
        nullable(
          Type.String({
            format: "date-or-date-time",
            description: "A date, or a date-time with a time zone. Without it, the key does not expire.",
          }),
        ),
      ),
    }),
    response: { 201: Type.Object({ ...ApiKey.properties, key: Type.String() }) },
  },
} as const;

export const deleteApiKey = {
  method: "DELETE",
  url: "/api-keys/:id",
  config,
  schema: {
    tags,
    summary: "Revoke an API key",
    params: idParams("API key"),
    response: { 200: Success },
  },
} as const;
