import Type, { type Static } from "typebox";
import { nullable, ref, Success, Timestamp } from "./schema.ts";

/** A key as it can be recognised; the key itself is not kept. */
export const ApiKey = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    start: Type.String({ description: "Its first characters" }),
    createdBy: nullable(Type.String({ description: "The member who made it, by name; `null` for nobody who is here" })),
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
  schema: { tags, summary: "List the account's keys", response: { 200: Type.Array(ref(ApiKey)) } },
} as const;

export const createApiKey = {
  method: "POST",
  url: "/api-keys",
  config,
  schema: {
    tags,
    summary: "Make a key; only this answer shows it",
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 100, pattern: "\\S" }),
      expiresAt: Type.Optional(
        nullable(Type.String({ format: "date-or-date-time", description: "A day or an instant; never when left out" })),
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
    summary: "Revoke a key",
    params: Type.Object({ id: Type.String() }),
    response: { 200: Success },
  },
} as const;
