import Type, { type Static } from "typebox";
import { textPatterns } from "../rules/text-patterns.ts";
import { inEnvelope, nullable, ref, Success, stringEnum, Timestamp } from "../schema.ts";

export const ModelInfo = Type.Object(
  {
    id: Type.String({ description: "The value for an agent's `model`" }),
    provider: Type.String(),
    name: Type.String(),
    isDefault: Type.Boolean(),
  },
  { $id: "Model" },
);
export type ModelInfo = Static<typeof ModelInfo>;

export const listModels = {
  method: "GET",
  url: "/models",
  config: { access: "account" },
  schema: {
    tags: ["Models"],
    summary: "List available models",
    response: { 200: inEnvelope(Type.Array(ref(ModelInfo))) },
  },
} as const;

/** Failed replies of one provider in the last 24 hours, and replies that changed over to another model. */
export const ProviderFailures = Type.Object(
  {
    provider: nullable(Type.String({ description: "`null` for failures without a provider" })),
    label: Type.String({ description: "Display name of the provider" }),
    count: Type.Integer({ description: "Number of failed replies. Counting stops at 1,000." }),
    answered: Type.Integer({
      description: "Of these, replies that another model has answered in place of the failed one",
    }),
    isOngoing: Type.Boolean({ description: "No reply of that agent has succeeded since the newest failure" }),
    newest: Type.Object({
      code: Type.String(),
      message: Type.String(),
      providerStatus: nullable(Type.Integer()),
      model: nullable(Type.String()),
      agentId: Type.String(),
      conversationId: Type.String(),
      at: Timestamp,
    }),
  },
  { $id: "ProviderFailures" },
);
export type ProviderFailures = Static<typeof ProviderFailures>;

export const listProviderFailures = {
  method: "GET",
  url: "/models/failures",
  config: { access: "account" },
  schema: {
    tags: ["Models"],
    summary: "List the providers with failed replies in the last 24 hours",
    description: "For a banner: show the entries with `isOngoing`. An empty list means that no reply failed.",
    response: { 200: inEnvelope(Type.Array(ref(ProviderFailures))) },
  },
} as const;

/** What a server is that an organization or the environment has named. */
export const serverKinds = ["openai-compatible", "azure", "bedrock"] as const;
export type ServerKind = (typeof serverKinds)[number];

/** The sources of a provider's key and base URL; `null` when it is not configured. Keys are never returned. */
export const ProviderInfo = Type.Object(
  {
    provider: Type.String({ description: "The prefix of the ids of its models: `openai`, or the name of a server" }),
    label: Type.String(),
    kind: nullable(stringEnum(serverKinds, "What a named server is. `null` for a built-in provider.")),
    needsBaseUrl: Type.Boolean({
      description: "Whether the provider has no URL of its own, so a base URL is required",
    }),
    source: nullable(stringEnum(["account", "environment"])),
    baseUrl: nullable(Type.String({ description: "The organization's own base URL, if it set one" })),
    resourceName: nullable(Type.String({ description: "Of the organization's own Azure server" })),
    apiVersion: nullable(Type.String({ description: "Of the organization's own Azure server" })),
    region: nullable(Type.String({ description: "Of the organization's own Bedrock server" })),
  },
  { $id: "ModelProvider" },
);
export type ProviderInfo = Static<typeof ProviderInfo>;

const providerParams = Type.Object({
  provider: Type.String({
    description: "Id of the provider, such as `openai`, or the name of a server, such as `groq`",
  }),
});
/** Keys are sent in headers, which cannot contain line breaks, and a blank one is none. */
const pattern = textPatterns.oneLine;
const apiKey = Type.String({ minLength: 1, maxLength: 1_000, pattern, description: "API key of the provider" });
const baseUrl = Type.String({
  format: "uri",
  minLength: 1,
  maxLength: 1_000,
  description: "Base URL of the provider's API. Required for providers with `needsBaseUrl`.",
});

const kind = stringEnum(
  serverKinds,
  "What the server is. Required to add a server under a new name of 2 to 31 lowercase letters, digits and hyphens.",
);
/** What a provider may need to be called. */
const access = {
  kind: Type.Optional(nullable(kind)),
  apiKey: Type.Optional(nullable(apiKey)),
  baseUrl: Type.Optional(nullable(baseUrl)),
  resourceName: Type.Optional(
    nullable(
      Type.String({
        pattern: textPatterns.dnsLabel,
        maxLength: 63,
        description: "`azure`: name of the resource, as in `https://<name>.openai.azure.com`. Instead of `baseUrl`.",
      }),
    ),
  ),
  apiVersion: Type.Optional(
    nullable(
      Type.String({
        pattern: textPatterns.apiVersion,
        maxLength: 40,
        description:
          "`azure`: version of the earlier interface, such as `2024-10-21`, in which each deployment has a URL. Without it, the `v1` interface is used.",
      }),
    ),
  ),
  region: Type.Optional(
    nullable(
      Type.String({
        pattern: textPatterns.dnsLabel,
        maxLength: 63,
        description: "`bedrock`: region, such as `eu-central-1`",
      }),
    ),
  ),
  accessKeyId: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 200, pattern, description: "`bedrock`: instead of `apiKey`" })),
  ),
  secretAccessKey: Type.Optional(
    nullable(
      Type.String({ minLength: 1, maxLength: 1_000, pattern, description: "`bedrock`: belongs to `accessKeyId`" }),
    ),
  ),
};

export const listProviders = {
  method: "GET",
  url: "/models/providers",
  config: { access: "account" },
  schema: {
    tags: ["Models"],
    summary: "List the model providers",
    response: { 200: inEnvelope(Type.Array(ref(ProviderInfo))) },
  },
} as const;

export const putProvider = {
  method: "PUT",
  url: "/models/providers/:provider",
  config: { access: "account" },
  schema: {
    tags: ["Models"],
    summary:
      "Set the organization's own API key and base URL for a provider, or add a server under a name of its own. They take precedence over the server's.",
    params: providerParams,
    body: Type.Object(access),
    response: { 200: inEnvelope(ref(ProviderInfo)) },
  },
} as const;

export const deleteProvider = {
  method: "DELETE",
  url: "/models/providers/:provider",
  config: { access: "account" },
  schema: {
    tags: ["Models"],
    summary: "Delete the organization's own API key and base URL for a provider",
    params: providerParams,
    response: { 200: inEnvelope(Success) },
  },
} as const;

/** One request to a provider and its response, without the key. Bodies have at most 16,384 characters. */
const ProviderExchange = Type.Object({
  request: Type.Object({
    method: Type.String(),
    url: Type.String({ description: "Without the host if the address belongs to the server's operator" }),
    headers: Type.Record(Type.String(), Type.String()),
    body: nullable(Type.String()),
  }),
  response: nullable(
    Type.Object({
      status: Type.Integer(),
      headers: Type.Record(Type.String(), Type.String()),
      body: Type.String(),
      isTruncated: Type.Boolean(),
    }),
  ),
});

export const ProviderTest = Type.Object({
  success: Type.Boolean(),
  durationMs: Type.Integer(),
  error: nullable(Type.String({ description: "The error message. `null` on success." })),
  reply: nullable(
    Type.Object(
      {
        model: Type.String({ description: "The model that was asked" }),
        text: Type.String({ description: "Its reply, at most 2,000 characters" }),
      },
      { description: "`null` unless `sendMessage` is set and the model replied" },
    ),
  ),
  models: Type.Array(Type.String(), { description: "Names of models that the provider lists, at most 500" }),
  streaming: nullable(
    Type.Boolean({ description: "Whether the reply arrived as a stream. `null` if no reply was requested." }),
  ),
  toolCalls: nullable(
    Type.Boolean({ description: "Whether the model called the tool that it was offered. `null` if it is unknown." }),
  ),
  images: nullable(
    Type.Boolean({ description: "Whether the model accepted a picture with the message. `null` if it is unknown." }),
  ),
  exchanges: Type.Array(ProviderExchange, { description: "What was sent to the provider and received, in order" }),
});
export type ProviderTest = Static<typeof ProviderTest>;

export const testProvider = {
  method: "POST",
  url: "/models/providers/:provider/test",
  config: { access: "account" },
  schema: {
    tags: ["Models"],
    summary: "Test the API key and base URL of a provider",
    description:
      "With `apiKey` or `baseUrl`, the request tests exactly these values. A saved key is never sent to another address. " +
      "With neither, it tests the current configuration, and answers 404 if there is none.",
    params: providerParams,
    body: Type.Object({
      ...access,
      model: Type.Optional(
        nullable(
          Type.String({
            minLength: 1,
            maxLength: 200,
            description: "The model to test with, for servers that do not list their models",
          }),
        ),
      ),
      sendMessage: Type.Optional(
        Type.Boolean({
          description:
            "Also request a short reply, in the way in which agents do, from `model`, the provider's default model or " +
            "the first model that it lists. The tokens are charged by the provider.",
        }),
      ),
    }),
    response: { 200: inEnvelope(ProviderTest) },
  },
} as const;
