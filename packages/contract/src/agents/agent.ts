import Type, { type Static } from "typebox";
import { AttachmentSettings } from "../attachments/attachments.ts";
import { ratingSettings, WidgetRating } from "../conversations/conversation-rating.ts";
import { HandoffChanges, HandoffSettings, WidgetHandoff } from "../handoff/handoff.ts";
import { agentLimits } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import {
  idParams,
  inEnvelope,
  nullable,
  ref,
  refOrNull,
  Success,
  stringEnum,
  Timestamp,
  withDescription,
} from "../schema.ts";
import { WidgetSettings } from "./widget-settings.ts";

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: textPatterns.notBlank,
  description: "Name of the agent, which visitors see",
});
const model = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: textPatterns.modelName,
  description: "`provider/model`, or the name of a model. `null` always uses the server's current default model.",
});
const systemPrompt = Type.String({
  maxLength: 100_000,
  description: "Instructions that the model receives with every message. Defaults to none.",
});
const temperature = Type.Number({
  minimum: 0,
  maximum: agentLimits.temperature,
  description: "How varied the replies are, from 0, most predictable, to 100. Defaults to 70.",
});

const days = (maximum: number, description: string) => nullable(Type.Integer({ minimum: 1, maximum, description }));

/** How many days each kind of data is kept. */
const retention = {
  conversations: days(36_500, "After their last message. Defaults to `FOYER_RETENTION_DAYS`."),
  submissions: days(36_500, "Form submissions. Defaults to `FOYER_SUBMISSION_RETENTION_DAYS`."),
  files: days(36_500, "Files in submissions, if shorter than the submissions themselves"),
  events: days(
    90,
    "Trigger events, and webhook events with their deliveries. The server keeps trigger events for 90 days and webhook events for 30 days at most.",
  ),
};
export const Retention = Type.Object(retention, { $id: "Retention", description: "Days; `null` keeps the data" });
export type Retention = Static<typeof Retention>;

export const reasoningLevels = ["default", "none", "low", "medium", "high"] as const;
export type ReasoningLevel = (typeof reasoningLevels)[number];

const settings = {
  fallbackModels: nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 200, description: "`provider/model`" }), {
      maxItems: 3,
      uniqueItems: true,
      description:
        "Models that answer, in this order, when `model` fails before it has said anything: its provider limits requests, refuses the key, has an error or cannot be reached. None by default.",
    }),
  ),
  reasoning: nullable(
    stringEnum(
      reasoningLevels,
      "How much the model thinks before it answers, as far as its provider can set it. `default` leaves it to the provider.",
    ),
  ),
  maxOutputTokens: nullable(
    Type.Integer({
      minimum: 1,
      maximum: agentLimits.maxOutputTokens,
      description: "The most tokens that the model may write in one step. `null` leaves it to the provider.",
    }),
  ),
  systemPrompt: nullable(systemPrompt),
  temperature: nullable(temperature),
  widget: nullable(withDescription(WidgetSettings, { description: "How the widget looks and greets visitors" })),
  allowedOrigins: nullable(
    Type.Array(Type.String({ maxLength: 300 }), {
      maxItems: agentLimits.allowedOrigins,
      description:
        "Origins (`https://shop.example`) whose pages may use this agent. An empty list allows every origin.",
    }),
  ),
  allowedImageHosts: nullable(
    Type.Array(Type.String({ maxLength: 253 }), {
      maxItems: agentLimits.allowedImageHosts,
      description:
        "Hosts (`images.example`) from which replies and product cards may load images. An empty list allows every host.",
    }),
  ),
  linkHosts: nullable(
    Type.Array(Type.String({ maxLength: 253 }), {
      maxItems: agentLimits.linkHosts,
      description:
        "Hosts (`docs.example`) that replies may link to, with their subdomains, in addition to those that the agent's instructions, `allowedOrigins`, tools and documents name",
    }),
  ),
  pageQuery: nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: agentLimits.pageQuery,
      description:
        "Names of the query parameters of a page's URL that are stored with messages and sent to the model. The rest of the query is dropped.",
    }),
  ),
  requireIdentity: nullable(
    Type.Boolean({
      description:
        "Accept a user only with a `userToken` or a valid `userHash`. Without one, the visitor is anonymous.",
    }),
  ),
  tellModel: nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: agentLimits.tellModel,
      description:
        "What the model may know about a visitor whose identity is proven: `id`, `email`, `name`, and claims such as `claims.plan` or, for short, `plan`. It receives them as data with the visitor's message. Empty by default.",
    }),
  ),
  followUps: nullable(
    Type.Boolean({
      description:
        "Offer up to three follow-up questions after each reply. They add a short model call to each reply. Off by default.",
    }),
  ),
  handoff: nullable(
    withDescription(HandoffChanges, {
      description:
        "How conversations are handed over to people. Omitted settings keep their values, and `null` restores defaults.",
    }),
  ),
  attachments: nullable(
    withDescription(Type.Partial(Type.Object(AttachmentSettings.properties)), {
      description:
        "What visitors can attach to their messages. Omitted settings keep their values, and `null` restores the defaults, which allow nothing.",
    }),
  ),
  monthlyTokenBudget: nullable(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "Tokens per calendar month, in UTC" }),
  ),
  monthlyCostBudget: nullable(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000_000,
      description:
        "What the agent's replies may cost per calendar month (UTC), in the organization's currency. Replies whose price is unknown do not count.",
    }),
  ),
  publishing: nullable(
    stringEnum(
      ["immediate", "manual"],
      "Whether visitors get a change at once, or only once the draft is published. `immediate` by default. A change to `immediate` publishes the draft.",
    ),
  ),
  publishRequiresTests: nullable(
    Type.Boolean({
      description:
        "Whether `POST /agents/:id/publish` runs the agent's tests with the draft first, and refuses it when one fails. `false` by default.",
    }),
  ),
  budgetMessage: nullable(
    Type.String({ maxLength: 2_000, description: "The reply that visitors receive once the budget is used up" }),
  ),
  resolveAfter: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 365,
      description:
        "Days after which a conversation with a member resolves by itself if the visitor does not answer. `null`, the default, never. Conversations that the agent has resolve after half an hour of silence.",
    }),
  ),
  resolveMessage: nullable(
    Type.String({ maxLength: 2_000, description: "What the visitor reads when a conversation resolves by itself" }),
  ),
  ...ratingSettings,
  retention: nullable(
    Type.Partial(Type.Object(retention), {
      description: "How many days data is kept; `null` keeps it forever. An omitted kind follows the server's default.",
    }),
  ),
};

/** A version that a part of the new conversations gets. */
export const AgentRollout = Type.Object({
  version: Type.Integer({ minimum: 1, maximum: 999_999_999, description: "The version" }),
  percent: Type.Number({
    minimum: 0,
    maximum: 100,
    description: "How many of the new conversations get it, in percent. The others get the live version.",
  }),
});
export type AgentRollout = Static<typeof AgentRollout>;

export const publishingModes = ["immediate", "manual"] as const;
export type AgentPublishing = (typeof publishingModes)[number];

export const AgentSummary = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    slug: Type.String(),
    model: Type.String({ description: "The model in use: the agent's own, or the current default" }),
    modelIsDefault: Type.Boolean({
      description: "Whether `model` is the current default, because the agent has no model of its own",
    }),
    createdAt: Timestamp,
  },
  { $id: "AgentSummary" },
);

const image = nullable(Type.String());

/** Paths of the uploaded images; `null` for an image that does not exist. `PUT /agents/:id/images/:kind` sets them. */
const AgentImages = Type.Object(
  {
    logo: image,
    avatar: image,
    launcher: image,
  },
  { description: "Paths of the uploaded images on this server, such as `/agents/…/images/logo?v=…`, or `null`" },
);

export const Agent = Type.Object(
  {
    ...AgentSummary.properties,
    systemPrompt: nullable(Type.String()),
    temperature: Type.Number(),
    fallbackModels: Type.Array(Type.String()),
    reasoning: stringEnum(reasoningLevels),
    maxOutputTokens: nullable(Type.Integer()),
    widget: WidgetSettings,
    images: AgentImages,
    allowedOrigins: Type.Array(Type.String()),
    allowedImageHosts: Type.Array(Type.String()),
    linkHosts: Type.Array(Type.String()),
    pageQuery: Type.Array(Type.String()),
    requireIdentity: Type.Boolean(),
    tellModel: Type.Array(Type.String()),
    followUps: Type.Boolean(),
    handoff: ref(HandoffSettings),
    attachments: ref(AttachmentSettings),
    monthlyTokenBudget: nullable(Type.Integer()),
    monthlyCostBudget: nullable(Type.Number()),
    budgetMessage: nullable(Type.String()),
    resolveAfter: nullable(Type.Integer()),
    resolveMessage: nullable(Type.String()),
    ...ratingSettings,
    retention: ref(Retention),
    publishing: stringEnum(publishingModes),
    publishRequiresTests: Type.Boolean(),
    liveVersion: Type.Integer({ description: "The version that visitors get" }),
    rollout: nullable(
      withDescription(AgentRollout, {
        description: "A version that a part of the new conversations gets. `null` if all get the live version.",
      }),
    ),
    draftHash: Type.String({
      description:
        "Hash of the agent with its tools and triggers, as they can be edited. `If-Match` with it protects a write from changes that the client has not seen.",
    }),
    updatedAt: Timestamp,
  },
  { $id: "Agent" },
);

export const AgentChanges = Type.Partial(Type.Object({ name, model: nullable(model), ...settings }));
export const AgentCreate = Type.Object({
  name,
  ...Type.Partial(Type.Object({ model: nullable(model), ...settings })).properties,
});

export type AgentSummary = Static<typeof AgentSummary>;
export type Agent = Static<typeof Agent>;
export type AgentCreate = Static<typeof AgentCreate>;
export type AgentChanges = Static<typeof AgentChanges>;

/** The settings of an agent that visitors' pages can read. */
export const AgentWidget = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    widget: WidgetSettings,
    images: AgentImages,
    allowedImageHosts: Type.Array(Type.String()),
    pageQuery: Type.Array(Type.String(), {
      description: "The query parameters that the widget sends with a page's URL",
    }),
    requireIdentity: Type.Boolean(),
    attachments: ref(AttachmentSettings),
    handoff: refOrNull(WidgetHandoff, {
      description: "How the visitor can talk to a person. `null` if handoff is disabled.",
    }),
    rating: Type.Optional(
      refOrNull(WidgetRating, {
        description: "Whether the agent asks visitors to rate conversations that have ended. Left out if it does not.",
      }),
    ),
  },
  { $id: "AgentWidget" },
);
export type AgentWidget = Static<typeof AgentWidget>;

const tags = ["Agents"];
const params = idParams("agent");
const config = { access: "account" } as const;

export const listAgents = {
  method: "GET",
  url: "/agents",
  config,
  schema: { tags, summary: "List agents", response: { 200: inEnvelope(Type.Array(ref(AgentSummary))) } },
} as const;

export const getAgent = {
  method: "GET",
  url: "/agents/:id",
  config,
  schema: { tags, summary: "Read an agent", params, response: { 200: inEnvelope(ref(Agent)) } },
} as const;

export const createAgent = {
  method: "POST",
  url: "/agents",
  config: { ...config, idempotent: true },
  schema: { tags, summary: "Create an agent", body: AgentCreate, response: { 201: inEnvelope(ref(Agent)) } },
} as const;

/** The copy has the agent's settings, tools and triggers, its own slug and identity secret, and no conversations. */
export const duplicateAgent = {
  method: "POST",
  url: "/agents/:id/duplicate",
  config,
  schema: {
    tags,
    summary: "Create a copy of an agent with its settings, tools and triggers",
    params,
    response: { 201: inEnvelope(ref(Agent)) },
  },
} as const;

export const updateAgent = {
  method: "PATCH",
  url: "/agents/:id",
  config,
  schema: {
    tags,
    summary: "Update an agent",
    params,
    body: AgentChanges,
    response: { 200: inEnvelope(ref(Agent)) },
  },
} as const;

export const deleteAgent = {
  method: "DELETE",
  url: "/agents/:id",
  config,
  schema: {
    tags,
    summary: "Delete an agent with its conversations, tools, triggers and submissions",
    params,
    response: { 200: inEnvelope(Success) },
  },
} as const;

export const getAgentWidget = {
  method: "GET",
  url: "/agents/:id/widget",
  config: { access: "public", crossOrigin: true },
  schema: {
    tags,
    summary: "Read an agent's widget settings",
    params,
    response: {
      200: inEnvelope(ref(AgentWidget)),
      304: Type.Unsafe<undefined>({ description: "Not modified since the version in `If-None-Match`" }),
    },
  },
} as const;

/** The key that the site's server uses to sign `userId` (see `userHash` of the chat). */
export const getIdentitySecret = {
  method: "GET",
  url: "/agents/:id/identity-secret",
  config,
  schema: {
    tags,
    summary: "Read the secret that signs visitor identities",
    params,
    response: { 200: inEnvelope(Type.Object({ identitySecret: Type.String() })) },
  },
} as const;

export const rotateIdentitySecret = {
  method: "POST",
  url: "/agents/:id/identity-secret/rotate",
  config,
  schema: {
    tags,
    summary: "Rotate the identity secret. Hashes made with the old secret stop working.",
    params,
    response: { 200: inEnvelope(Type.Object({ identitySecret: Type.String() })) },
  },
} as const;
