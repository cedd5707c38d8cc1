import Type, { type Static } from "typebox";
import { plainName } from "../auth/organization.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { inEnvelope, nullable, Success } from "../schema.ts";

const token = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "From the setup link in the server's terminal",
});

export const SetUpRequest = Type.Object({
  token,
  email: Type.String({ format: "email", minLength: 1, maxLength: 320, description: "Email address of the owner" }),
  password: Type.String({ minLength: 12, maxLength: 128, description: "Password of the owner" }),
  name: Type.Optional(nullable(plainName)),
  organizationName: Type.Optional(nullable(plainName)),
  agentName: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: textPatterns.notBlank,
        description: "Name of the first agent. Defaults to `Harbour`.",
      }),
    ),
  ),
});
export type SetUpRequest = Static<typeof SetUpRequest>;

export const SetUpResult = Type.Object({
  agentId: Type.String(),
  apiKey: Type.String({ description: "The API key. Only this response contains it." }),
});
export type SetUpResult = Static<typeof SetUpResult>;

/**
 * 404 when the token is wrong or the server already has an owner. The setup page checks it before showing the form.
 */
export const checkSetUpToken = {
  method: "POST",
  url: "/auth/setup/check",
  config: { access: "public" },
  schema: {
    tags: ["Setup"],
    summary: "Check a setup token without using it",
    body: Type.Object({ token }),
    response: { 200: inEnvelope(Success) },
  },
} as const;

/** 404 with the same message for a wrong token and for a server that already has an owner. */
export const setUp = {
  method: "POST",
  url: "/auth/setup",
  config: { access: "public" },
  schema: {
    tags: ["Setup"],
    summary: "Create the first owner of a new server, with an API key and an agent",
    body: SetUpRequest,
    response: { 201: inEnvelope(SetUpResult) },
  },
} as const;
