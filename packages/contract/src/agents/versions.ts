import Type, { type Static } from "typebox";
import { textPatterns } from "../rules/text-patterns.ts";
import {
  inEnvelope,
  listOffset,
  nullable,
  Pagination,
  ref,
  stringEnum,
  Timestamp,
  withDescription,
} from "../schema.ts";
import type { Tool } from "../tools/tool.ts";
import type { Trigger } from "../triggers/trigger.ts";
import { Agent, AgentRollout } from "./agent.ts";
import type { AgentImageKind } from "./agent-image.ts";

const version = Type.Integer({ description: "Counts the versions of an agent, from 1" });

/** A state of an agent with its tools and triggers that visitors get, or got. */
export const AgentVersion = Type.Object(
  {
    version,
    hash: Type.String({ description: "SHA-256 of the content, in hex. Equal contents have equal hashes." }),
    note: nullable(Type.String({ description: "What the person who published it wrote about it" })),
    createdAt: Timestamp,
    createdBy: Type.Unsafe<VersionAuthor | null>({
      type: ["object", "null"],
      properties: {
        type: stringEnum(["user", "key"]),
        id: Type.String(),
        name: Type.String({ description: "The user's email address or the key's name at that time" }),
      },
      required: ["type", "id", "name"],
      description: "`null` for the state before versions were recorded",
    }),
    isLive: Type.Boolean({ description: "Whether visitors get this version" }),
  },
  { $id: "AgentVersion" },
);
export type AgentVersion = Static<typeof AgentVersion>;
export type VersionAuthor = { type: "user" | "key"; id: string; name: string };

const Content = Type.Unsafe<AgentContent>({
  type: "object",
  additionalProperties: true,
  description:
    "The agent's settings, its tools by name and its triggers by name. Secrets appear as `{{NAME}}`, members as email addresses, and images as hashes.",
});

/** What a version freezes. Members are named by email address, forms of triggers by name, and images by hash. */
export type AgentContent = {
  agent: FrozenSettings;
  tools: ToolContent[];
  triggers: TriggerContent[];
};

/**
 * The settings of an agent that a version freezes. The others apply at once: a version must not bring back an origin
 * that was forbidden, data that was to be deleted, or a budget.
 */
type FrozenSettings = Omit<
  Agent,
  | "id"
  | "slug"
  | "model"
  | "modelIsDefault"
  | "images"
  | "allowedOrigins"
  | "retention"
  | "monthlyTokenBudget"
  | "monthlyCostBudget"
  | "publishing"
  | "publishRequiresTests"
  | "liveVersion"
  | "rollout"
  | "draftHash"
  | "createdAt"
  | "updatedAt"
> & { model: string | null; images: Record<AgentImageKind, string | null> };
export type ToolContent = Omit<Tool, "id" | "agentId" | "warnings" | "createdAt" | "updatedAt">;
export type TriggerContent = Omit<Trigger, "id" | "agentId" | "createdAt" | "updatedAt">;

export const AgentVersionDetails = Type.Object(
  { ...AgentVersion.properties, content: Content },
  { $id: "AgentVersionDetails" },
);
export type AgentVersionDetails = Static<typeof AgentVersionDetails>;

const Change = Type.Object({
  path: Type.String({
    description: "The setting, such as `agent.systemPrompt` or `tools.stock.description`",
  }),
  from: Type.Unknown({ description: "The value in the first version. `null` if it has none." }),
  to: Type.Unknown({ description: "The value in the second version. `null` if it has none." }),
});
export type VersionChange = Static<typeof Change>;

const tags = ["Agents"];
const config = { access: "account" } as const;
const agentId = Type.String({ description: "Id of the agent" });
const params = Type.Object({ id: agentId });
const versionParams = Type.Object({ id: agentId, version: Type.String({ description: "The version, such as `3`" }) });
const versionName = Type.String({ pattern: textPatterns.versionName, description: "A version, or `draft`" });

export const listAgentVersions = {
  method: "GET",
  url: "/agents/:id/versions",
  config,
  schema: {
    tags,
    summary: "List an agent's versions, newest first",
    params,
    querystring: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 50. Values above 200 count as 200." })),
      offset: Type.Optional(listOffset),
    }),
    response: {
      200: Type.Object({ data: Type.Array(ref(AgentVersion)), pagination: Pagination, error: Type.Null() }),
    },
  },
} as const;

export const getAgentVersion = {
  method: "GET",
  url: "/agents/:id/versions/:version",
  config,
  schema: {
    tags,
    summary: "Read a version of an agent with its content",
    params: versionParams,
    response: { 200: inEnvelope(ref(AgentVersionDetails)) },
  },
} as const;

export const compareAgentVersions = {
  method: "GET",
  url: "/agents/:id/versions/diff",
  config,
  schema: {
    tags,
    summary: "Compare two versions of an agent, or a version with the draft, setting by setting",
    params,
    querystring: Type.Object({ from: versionName, to: versionName }),
    response: { 200: inEnvelope(Type.Object({ changes: Type.Array(Change) })) },
  },
} as const;

export const publishAgent = {
  method: "POST",
  url: "/agents/:id/publish",
  config,
  schema: {
    tags,
    summary: "Publish the draft of an agent. Visitors get it at once.",
    params,
    body: nullable(
      Type.Object({
        note: Type.Optional(
          nullable(Type.String({ maxLength: 1_000, description: "What has changed, for the list of versions" })),
        ),
        wait: Type.Optional(
          Type.Boolean({
            description:
              "`false`: respond with 409 `TESTS_RUNNING` at once when required tests have to run. By default, the response waits up to 20 s for them. Publish again to get the result.",
          }),
        ),
      }),
    ),
    response: {
      200: withDescription(inEnvelope(ref(AgentVersion)), {
        description: "The live version, because nothing has changed since it was published",
      }),
      201: inEnvelope(ref(AgentVersion)),
    },
  },
} as const;

export const discardAgentDraft = {
  method: "POST",
  url: "/agents/:id/discard-draft",
  config,
  schema: {
    tags,
    summary: "Make the draft of an agent equal to what visitors get",
    params,
    response: { 200: inEnvelope(ref(Agent)) },
  },
} as const;

export const restoreAgentVersion = {
  method: "POST",
  url: "/agents/:id/versions/:version/restore",
  config,
  schema: {
    tags,
    summary: "Restore an earlier version of an agent. It becomes a new version, which visitors get at once.",
    params: versionParams,
    body: nullable(
      Type.Object({
        withoutMissing: Type.Optional(
          Type.Boolean({
            description:
              "Leave out members, teams, images and models that no longer exist. Without it, they are a conflict.",
          }),
        ),
      }),
    ),
    response: { 201: inEnvelope(ref(AgentVersion)) },
  },
} as const;

export const rollOutVersion = {
  method: "PUT",
  url: "/agents/:id/rollout",
  config,
  schema: {
    tags,
    summary: "Give a version to a part of an agent's new conversations, until the next version is published",
    params,
    body: AgentRollout,
    response: { 200: inEnvelope(ref(Agent)) },
  },
} as const;

export const endRollout = {
  method: "DELETE",
  url: "/agents/:id/rollout",
  config,
  schema: {
    tags,
    summary: "End the rollout of a version. Every conversation continues with the live version.",
    params,
    response: { 200: inEnvelope(ref(Agent)) },
  },
} as const;
