import Type, { type Static } from "typebox";
import { textPatterns } from "../rules/text-patterns.ts";
import { nullable, ref, Success, Timestamp } from "../schema.ts";

const secretName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: textPatterns.secretName,
  description: "Name of the secret. HTTP tools insert its value with `{{NAME}}`.",
});
const value = Type.String({
  minLength: 1,
  maxLength: 10_000,
  description: "The secret value. It is stored encrypted.",
});
const hosts = nullable(
  Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    maxItems: 50,
    description:
      "Hosts that may receive the secret. Without any, every host that a tool names may receive it. A non-default port is part of the host: `127.0.0.1:8080`.",
  }),
);

/** A secret without its value. */
export const Secret = Type.Object(
  { name: Type.String(), hosts: Type.Array(Type.String()), createdAt: Timestamp, updatedAt: Timestamp },
  { $id: "Secret" },
);
export type Secret = Static<typeof Secret>;

const tags = ["Secrets"];
const config = { access: "account" } as const;
const params = Type.Object({ name: Type.String({ description: "Name of the secret" }) });

export const listSecrets = {
  method: "GET",
  url: "/secrets",
  config,
  schema: { tags, summary: "List secrets. Values are never returned.", response: { 200: Type.Array(ref(Secret)) } },
} as const;

export const createSecret = {
  method: "POST",
  url: "/secrets",
  config,
  schema: {
    tags,
    summary: "Create a secret",
    body: Type.Object({ name: secretName, value, hosts: Type.Optional(hosts) }),
    response: { 201: ref(Secret) },
  },
} as const;

export const putSecret = {
  method: "PUT",
  url: "/secrets/:name",
  config,
  schema: {
    tags,
    summary: "Create or replace a secret",
    params: Type.Object({ name: secretName }),
    body: Type.Object({ value, hosts: Type.Optional(hosts) }),
    response: { 200: ref(Secret) },
  },
} as const;

export const deleteSecret = {
  method: "DELETE",
  url: "/secrets/:name",
  config,
  schema: { tags, summary: "Delete a secret", params, response: { 200: Success } },
} as const;
