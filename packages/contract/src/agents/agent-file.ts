import Type, { type Static } from "typebox";
import { agentTestLimits } from "../rules/evaluations.ts";
import { agentLimits } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { closed, idParams, inEnvelope, nullable, ref, stringEnum } from "../schema.ts";
import { ToolCreate } from "../tools/tool.ts";
import { triggerFields, triggerOptions } from "../triggers/trigger.ts";
import { AgentCreate } from "./agent.ts";
import { AgentFileTest } from "./agent-tests.ts";

/** The format of agents as files. A change that earlier servers would misread gets the next number. */
export const agentFileFormat = "foyer-agent/1";

export const agentFileLimits = {
  /** the largest body of `POST /agents/apply`, in bytes */
  bodyBytes: 16 * 1024 * 1024,
  agents: 20,
  tools: 1_000,
  triggers: 200,
} as const;

const format = stringEnum([agentFileFormat], "Format of the file");

const imageHash = Type.Optional(nullable(Type.String({ maxLength: 100, description: "Hash of the uploaded image" })));

const {
  allowedOrigins,
  retention,
  monthlyTokenBudget,
  monthlyCostBudget,
  publishing,
  publishRequiresTests,
  ...settings
} = AgentCreate.properties;

const Settings = Type.Object(
  {
    id: Type.Optional(
      nullable(
        Type.String({
          maxLength: 64,
          description:
            "The id of the agent on its server, which `foyer -- pull` writes. An agent with this id is changed, whatever its slug has become. A server without it goes by the slug.",
        }),
      ),
    ),
    slug: Type.String({
      maxLength: agentLimits.slug,
      pattern: textPatterns.slug,
      description: "Which agent of the organization it is. An agent that does not exist yet is created.",
    }),
    ...settings,
    images: Type.Optional(
      Type.Object(
        { logo: imageHash, avatar: imageHash, launcher: imageHash },
        { description: "The uploaded images. A file does not contain them, so upload them first." },
      ),
    ),
  },
  {
    description:
      "The settings that versions have. Omitted settings keep their values, and `null` restores their defaults. Members are named by email address, and teams by name.",
  },
);

const { agentId: _, type, formFieldsSchema, ...tool } = ToolCreate.properties;
const FileTool = Type.Object(tool, {
  description: "As in `POST /tools`. Members in `formPostActions` are named by email address.",
});

const FileTrigger = Type.Object(
  { ...triggerFields, ...Type.Partial(Type.Object(triggerOptions)).properties },
  { description: "As in `POST /triggers`, but `actionConfig` of `show_form` has the name of the form as `tool`" },
);

const parts = {
  format,
  agent: Settings,
  tools: Type.Optional(
    Type.Array(FileTool, { maxItems: agentFileLimits.tools, description: "The tools, each with its own name" }),
  ),
  triggers: Type.Optional(
    Type.Array(FileTrigger, {
      maxItems: agentFileLimits.triggers,
      description: "The triggers, each with its own name",
    }),
  ),
  tests: Type.Optional(
    Type.Array(AgentFileTest, {
      maxItems: agentTestLimits.tests,
      description: "The tests that were written by hand. Those that were kept from conversations stay on their server.",
    }),
  ),
  missingSecrets: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: agentFileLimits.tools,
      description: "Names of secrets that stand for values which the export does not show. Ignored when it is applied.",
    }),
  ),
};

/** An agent with its tools and triggers as text, for version control and for other servers. */
const AgentFile = closed(Type.Object(parts));
export type AgentFile = Static<typeof AgentFile>;
export type AgentFileTool = NonNullable<AgentFile["tools"]>[number];
export type AgentFileTrigger = NonNullable<AgentFile["triggers"]>[number];

const Body = closed(
  Type.Object(
    {
      agents: Type.Array(AgentFile, {
        minItems: 1,
        maxItems: agentFileLimits.agents,
        description: "The agents. Either all of them are changed, or none.",
      }),
    },
    { description: "One agent can also be sent alone, without the list." },
  ),
);
export type ApplyBody = Static<typeof Body>;

const Change = Type.Object({
  agent: Type.String({ description: "Slug of the agent" }),
  action: stringEnum(["create", "change", "remove"]),
  kind: stringEnum(["agent", "tool", "trigger", "test"]),
  name: Type.String({ description: "The agent's slug, or the name of the tool, trigger or test" }),
  fields: Type.Array(Type.String(), {
    description: "The settings that change, such as `widget.greeting`. Empty for what is created or removed.",
  }),
});
export type ApplyChange = Static<typeof Change>;

const agentId = nullable(
  Type.String({ description: "`null` in a dry run that would create the agent, and for several agents" }),
);
const hash = nullable(Type.String({ description: "`draftHash` of the agent afterwards. `null` for several agents." }));

export const AppliedAgents = Type.Object(
  {
    agentId,
    hash,
    changes: Type.Array(Change),
    agents: Type.Array(Type.Object({ slug: Type.String(), agentId, hash })),
    missingSecrets: Type.Array(Type.String(), {
      description: "Secrets that the tools use and the organization does not have. `PUT /secrets/:name` adds one.",
    }),
    missingImages: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description: "Images that are not stored on this server. The agent keeps those that it has.",
    }),
  },
  { $id: "AppliedAgents" },
);
export type AppliedAgents = Static<typeof AppliedAgents>;

const tags = ["Agents"];
const config = { access: "account" } as const;

export const exportAgent = {
  method: "GET",
  url: "/agents/:id/export",
  config,
  schema: {
    tags,
    summary: "Read an agent with its tools and triggers in the format of `POST /agents/apply`",
    params: idParams("agent"),
    response: { 200: inEnvelope(Type.Unsafe<AgentFile>({ type: "object", additionalProperties: true })) },
  },
} as const;

export const applyAgents = {
  method: "POST",
  url: "/agents/apply",
  config,
  schema: {
    tags,
    summary: "Create or change agents with their tools and triggers from their text",
    querystring: Type.Object({
      dryRun: Type.Optional(Type.Boolean({ description: "Only list the changes" })),
      prune: Type.Optional(
        Type.Boolean({ description: "Remove tools, triggers and tests that the lists do not contain" }),
      ),
    }),
    body: Body,
    response: { 200: inEnvelope(ref(AppliedAgents)) },
  },
} as const;
