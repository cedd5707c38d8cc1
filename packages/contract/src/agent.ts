import Type, { type Static } from "typebox";
import { described, enveloped, idParams, nullable, ref, Success, stringEnum, Timestamp } from "./schema.ts";

const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: "\\S",
  description: "Name of the agent, which visitors see",
});
const model = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: "^(?!.*\\.\\.)[\\w.:@+-]+(/[\\w.:@+-]+)*$",
  description: "`provider/model`, or the name of a model. `null` always uses the server's current default model.",
});
const systemPrompt = Type.String({
  maxLength: 100_000,
  description: "Instructions that the model receives with every message. Defaults to none.",
});
const temperature = Type.Number({
  minimum: 0,
  maximum: 100,
  description: "How varied the replies are, from 0, most predictable, to 100. Defaults to 70.",
});

const suggestion = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "A message that visitors can send with one click",
});

const launcherIcons = ["chat", "message", "question", "sparkle", "lamp"] as const;

const offset = (edge: string) =>
  Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: 400,
        description: `Distance of the launcher from the ${edge} of the window in pixels. Defaults to 20.`,
      }),
    ),
  );

/** How the widget looks and greets visitors. Every field is optional; `null` means the widget's own default. */
export const WidgetSettings = Type.Object({
  title: Type.Optional(
    nullable(
      Type.String({ maxLength: 200, description: "Title of the chat panel. Defaults to the name of the agent." }),
    ),
  ),
  greeting: Type.Optional(
    nullable(
      Type.String({ maxLength: 2_000, description: "Markdown shown before the first message. Defaults to none." }),
    ),
  ),
  suggestions: Type.Optional(
    nullable(
      Type.Array(suggestion, {
        maxItems: 10,
        description: "Messages that visitors can send with one click before the first message. Defaults to none.",
      }),
    ),
  ),
  pageSuggestions: Type.Optional(
    nullable(
      Type.Array(
        Type.Object({
          page: Type.String({
            maxLength: 2_000,
            description: "Glob of the page's path, such as `/pricing` or `/bikes/*`, as in `page_view` triggers",
          }),
          suggestions: Type.Array(suggestion, {
            maxItems: 10,
            description: "What is suggested there. An empty list suggests nothing.",
          }),
        }),
        {
          maxItems: 50,
          description:
            "Suggestions for some pages. The first list whose `page` matches replaces `suggestions`. Defaults to none.",
        },
      ),
    ),
  ),
  accentColor: Type.Optional(nullable(Type.String({ pattern: "^#[0-9a-fA-F]{6}$", description: "`#rrggbb`" }))),
  position: Type.Optional(
    nullable(stringEnum(["left", "right"], "Side of the window on which the launcher is. Defaults to `right`.")),
  ),
  theme: Type.Optional(
    nullable(
      stringEnum(
        ["auto", "light", "dark"],
        "`auto`, the default, follows the page's CSS `color-scheme`, and without one the visitor's system.",
      ),
    ),
  ),
  launcherIcon: Type.Optional(
    nullable(
      stringEnum(launcherIcons, "Defaults to `chat`, a speech bubble. An uploaded `launcher` image replaces it."),
    ),
  ),
  offsetX: offset("side"),
  offsetY: offset("bottom"),
  locale: Type.Optional(
    nullable(
      Type.String({
        pattern: "^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$",
        maxLength: 35,
        description:
          "Language tag of the widget's own texts, such as `de-CH`. Defaults to the page's language, then the browser's.",
      }),
    ),
  ),
  launcherLabel: Type.Optional(
    nullable(Type.String({ maxLength: 100, description: "Text beside the launcher's icon. Defaults to none." })),
  ),
  showAiNotice: Type.Optional(
    nullable(
      Type.Boolean({
        description: "Whether the chat says that an AI answers, before the first message. On by default.",
      }),
    ),
  ),
  aiNotice: Type.Optional(
    nullable(
      Type.String({
        maxLength: 500,
        description: "Replaces the widget's own notice, which is in the visitor's language",
      }),
    ),
  ),
  privacyPolicyUrl: Type.Optional(
    nullable(
      Type.String({ maxLength: 2_000, pattern: "^https?://\\S+$", description: "The notice links to this page" }),
    ),
  ),
  consentText: Type.Optional(
    nullable(
      Type.String({
        maxLength: 2_000,
        description:
          "What visitors agree to before their first message. `POST /chat` then requires `consent: true` once in each conversation.",
      }),
    ),
  ),
  errorMessage: Type.Optional(
    nullable(
      Type.String({
        maxLength: 500,
        description: "Shown when a reply fails or the server cannot be reached, such as a phone number to call",
      }),
    ),
  ),
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

const settings = {
  systemPrompt: nullable(systemPrompt),
  temperature: nullable(temperature),
  widget: nullable(described(WidgetSettings, { description: "How the widget looks and greets visitors" })),
  allowedOrigins: nullable(
    Type.Array(Type.String({ maxLength: 300 }), {
      maxItems: 100,
      description:
        "Origins (`https://shop.example`) whose pages may use this agent. An empty list allows every origin.",
    }),
  ),
  allowedImageHosts: nullable(
    Type.Array(Type.String({ maxLength: 253 }), {
      maxItems: 100,
      description:
        "Hosts (`images.example`) from which replies and product cards may load images. An empty list allows every host.",
    }),
  ),
  pageQuery: nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 50,
      description:
        "Names of the query parameters of a page's URL that are stored with messages and told to the model. The rest of the query is dropped.",
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
      maxItems: 50,
      description:
        "What the model may know about a visitor whose identity is proven: `id`, `email`, `name`, and claims such as `claims.plan` or, for short, `plan`. It receives them as data with the visitor's message. Empty by default.",
    }),
  ),
  followUps: nullable(
    Type.Boolean({
      description:
        "Offer up to three follow-up questions after each reply. They cost an additional, short call of the model. Off by default.",
    }),
  ),
  monthlyTokenBudget: nullable(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "Tokens per calendar month, in UTC" }),
  ),
  budgetMessage: nullable(
    Type.String({ maxLength: 2_000, description: "The reply that visitors receive once the budget is used up" }),
  ),
  retention: nullable(
    Type.Partial(Type.Object(retention), {
      description: "Days that data is kept; `null` keeps it. A kind that is left out follows the server's default.",
    }),
  ),
};

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

/** Paths of the uploaded images; `null` where there is none. `PUT /agents/:id/images/:kind` sets them. */
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
    widget: WidgetSettings,
    images: AgentImages,
    allowedOrigins: Type.Array(Type.String()),
    allowedImageHosts: Type.Array(Type.String()),
    pageQuery: Type.Array(Type.String()),
    requireIdentity: Type.Boolean(),
    tellModel: Type.Array(Type.String()),
    followUps: Type.Boolean(),
    monthlyTokenBudget: nullable(Type.Integer()),
    budgetMessage: nullable(Type.String()),
    retention: ref(Retention),
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

/** What visitors' pages can read about an agent. */
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
  schema: { tags, summary: "List agents", response: { 200: enveloped(Type.Array(ref(AgentSummary))) } },
} as const;

export const getAgent = {
  method: "GET",
  url: "/agents/:id",
  config,
  schema: { tags, summary: "Read an agent", params, response: { 200: enveloped(ref(Agent)) } },
} as const;

export const createAgent = {
  method: "POST",
  url: "/agents",
  config: { ...config, idempotent: true },
  schema: { tags, summary: "Create an agent", body: AgentCreate, response: { 201: enveloped(ref(Agent)) } },
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
    response: { 201: enveloped(ref(Agent)) },
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
    response: { 200: enveloped(ref(Agent)) },
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
    response: { 200: enveloped(Success) },
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
      200: enveloped(ref(AgentWidget)),
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
    response: { 200: enveloped(Type.Object({ identitySecret: Type.String() })) },
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
    response: { 200: enveloped(Type.Object({ identitySecret: Type.String() })) },
  },
} as const;
