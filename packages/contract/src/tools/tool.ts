import Type, { type Static } from "typebox";
import { executionModes, FormConfirmation, FormSchema, formFields, PostAction } from "../forms/form.ts";
import { type DisplayType, displayOptions, displayTypes } from "../rules/display-types.ts";
import { formDeliveryLimits, toolTextLimits } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { clearable, idParams, nullable, ref, Success, stringEnum, Timestamp, withDescription } from "../schema.ts";
import { ActingVisitor } from "../visitors/visitor-identity.ts";
import { httpBody, requires, sendVisitorToken } from "./tool-visitor.ts";

export const executionTypes = ["mock", "http", "form", "client"] as const;
export type ExecutionType = (typeof executionTypes)[number];

export { type DisplaySlot, type DisplayType, displayOptions, displayTypes } from "../rules/display-types.ts";

const optionDescriptions: Record<(typeof displayOptions)[number], string> = {
  showTitle: "Whether product cards show the title. Defaults to true.",
  showPrice: "Whether product cards show the price. Defaults to true.",
  showImage: "Whether product cards show the image. Defaults to true.",
  showDescription: "Whether product cards show the description. Defaults to true.",
  showAddToCart: "Whether product cards have an “Add to cart” button. Defaults to false.",
  showHeader: "Whether tables show the column names. Defaults to true.",
};
const flags = Object.fromEntries(
  displayOptions.map((name) => [name, Type.Optional(Type.Boolean({ description: optionDescriptions[name] }))]),
);

export const DisplayConfig = Type.Object(
  {
    type: Type.Optional(
      stringEnum(Object.keys(displayTypes) as DisplayType[], "How the widget shows the result. Defaults to `text`."),
    ),
    fieldMappings: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: "object",
        additionalProperties: { type: "string", minLength: 1, maxLength: 200 },
        maxProperties: 50,
        description:
          "Maps each slot of the display type to a field of the tool's result. Dots reach into nested objects (`product.name`). Slots that the display type does not use are stored and ignored.",
      }),
    ),
    options: Type.Optional(
      Type.Unsafe<DisplayOptions>({
        ...Type.Object(flags),
        additionalProperties: { type: ["boolean", "number", "string"], maxLength: 500 },
        maxProperties: 50,
        description: "Options that the display type does not use are stored and ignored.",
      }),
    ),
  },
  { description: "How the widget shows a tool's result" },
);
export type DisplayConfig = Static<typeof DisplayConfig>;
type DisplayOptions = Partial<Record<(typeof displayOptions)[number], boolean>>;

/** A display with its slots filled from the result, so that every client renders the same. */
export type Display = {
  type: DisplayType;
  slots: Record<string, unknown>;
  /** `isOpen`: a `text` is shown without a click. */
  options: DisplayOptions & { isOpen?: boolean };
};

const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: "object", additionalProperties: true });
const Headers = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", maxLength: toolTextLimits.headerValue },
  maxProperties: 50,
  description: "Headers of the request. `{{NAME}}` in a value stands for a secret.",
});

const executionType = stringEnum(
  executionTypes,
  "What a call does: return a fixed answer (`mock`), call a URL (`http`), show a form to the visitor (`form`), or run code of the visitor's page (`client`)",
);
const name = Type.String({
  minLength: 1,
  maxLength: toolTextLimits.name,
  pattern: textPatterns.toolName,
  description: "Name by which the model calls the tool: lowercase letters and underscores, unique within the agent",
});
const description = Type.String({
  minLength: 1,
  maxLength: toolTextLimits.description,
  pattern: textPatterns.notBlank,
  description: "What the tool does and when to use it. The model uses it to choose a tool.",
});
const inputSchema = Type.Unsafe<Record<string, unknown>>(
  withDescription(AnyObject, {
    description:
      "JSON Schema of the input that the model passes: `type` is `object`, and each entry of `properties` has the type `string`, `number`, `boolean`, `array` or `object`, a list of these and `null`, `anyOf`, `enum`, or a `$ref` to a part of `$defs`. At most 64 KiB.",
  }),
);
const httpUrl = Type.String({
  minLength: 1,
  maxLength: toolTextLimits.url,
  description:
    "URL of an HTTP tool. `{name}` in the path or query stands for a property of `inputSchema`, and `{{NAME}}` for a secret.",
});
const formWebhookUrl = Type.String({
  format: "uri",
  minLength: 1,
  maxLength: formDeliveryLimits.url,
  description: "URL that receives each submission as a signed POST request",
});
const label = Type.String({
  maxLength: toolTextLimits.label,
  description:
    "What visitors read while the tool runs and above its result, such as `Checking stock`. Defaults to the tool's name.",
});
/**
 * Who receives a tool's result. With `model`, visitors see only that the tool ran, and the chat stream carries no data.
 * With `visitor`, the model learns only that the result was shown.
 */
export const resultReaders = ["both", "model", "visitor"] as const;
const resultFor = stringEnum(
  resultReaders,
  "`model` hides the result from visitors: they see only that the tool ran. `visitor` hides it from the model, which learns only that it was shown. Defaults to `both`: without a display that selects values, visitors can read the complete result.",
);
/** Settings of a single kind of tool, as in responses. */
const clearableFields = clearable(formFields);

const formSchemaDescription = "Fields and texts of a form. Required for a `form` tool.";

const kindFields = {
  mockResponse: nullable(
    Type.String({ maxLength: 100_000, description: "The answer of a `mock` tool: JSON, or plain text" }),
  ),
  httpUrl: nullable(httpUrl),
  httpMethod: nullable(
    stringEnum(["GET", "POST", "PUT", "DELETE"], "Method of the request of an `http` tool. Defaults to `GET`."),
  ),
  httpHeaders: nullable(Headers),
  clientResultSchema: nullable(
    Type.Unsafe<Record<string, unknown>>(
      withDescription(AnyObject, {
        description:
          "For a client tool: a JSON Schema of type `object` that its results must match. Other results are refused.",
      }),
    ),
  ),
  httpBody: nullable(httpBody),
  formSchema: nullable(withDescription(FormSchema, { description: formSchemaDescription })),
  formExecutionMode: nullable(
    stringEnum(
      executionModes,
      "Who handles a submission: the `webhook`, the page's own handler (`client`), or `both`. Defaults to `webhook`.",
    ),
  ),
  formWebhookUrl: nullable(formWebhookUrl),
  formClientHandler: nullable(
    Type.String({
      minLength: 1,
      maxLength: toolTextLimits.clientHandler,
      description: "Name of the page's handler, registered with the widget, for the modes `client` and `both`",
    }),
  ),
  formPostActions: nullable(
    Type.Array(PostAction, {
      maxItems: 20,
      description:
        "What is sent after the first attempt of the form's webhook. One failing action does not stop the others.",
    }),
  ),
  formConfirmation: nullable(
    withDescription(FormConfirmation, { description: "Email to the visitor after submitting. None by default." }),
  ),
};

/** A saved setting that cannot work yet, or that shows visitors more than they may need. */
export const ToolWarning = Type.Object({
  path: Type.String({ description: "The setting, such as `formPostActions.0`" }),
  message: Type.String(),
});
export type ToolWarning = Static<typeof ToolWarning>;

export const Tool = Type.Object(
  {
    id: Type.String(),
    agentId: Type.String(),
    name: Type.String(),
    description: Type.String(),
    executionType: stringEnum(executionTypes),
    inputSchema: AnyObject,
    isEnabled: Type.Boolean(),
    label: nullable(label),
    resultFor,
    requires: nullable(requires),
    sendVisitorToken,
    displayConfig: nullable(DisplayConfig),
    ...kindFields,
    warnings: Type.Array(ToolWarning, {
      description:
        "Problems with saved settings: what cannot work, or what visitors can read although it may be internal",
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: "Tool" },
);
export type Tool = Static<typeof Tool>;

/**
 * Settings that requests may omit. `type` and `formFieldsSchema` are alternate spellings, which responses never
 * contain.
 */
const optionalFields = {
  isEnabled: nullable(Type.Boolean({ description: "Whether the model may call the tool. Defaults to true." })),
  label: nullable(label),
  resultFor: nullable(resultFor),
  requires: nullable(requires),
  sendVisitorToken: nullable(sendVisitorToken),
  displayConfig: nullable(clearable(DisplayConfig)),
  ...kindFields,
  formSchema: nullable(clearable(withDescription(FormSchema, { description: formSchemaDescription }))),
  type: Type.Unsafe<ExecutionType>(
    withDescription(executionType, { description: "Alternate spelling of `executionType`", deprecated: true }),
  ),
  formFieldsSchema: Type.Unsafe<Static<typeof clearableFields>>(
    withDescription(clearableFields, { description: "Alternate spelling of `formSchema.fields`", deprecated: true }),
  ),
};

export const ToolChanges = Type.Partial(
  Type.Object({ name, description, executionType, inputSchema, ...optionalFields }),
);
export type ToolChanges = Static<typeof ToolChanges>;

export const ToolCreate = Type.Object({
  agentId: Type.String({
    minLength: 1,
    description: "Id of the agent that the tool belongs to. It can also be sent in the query.",
  }),
  name,
  description,
  executionType,
  inputSchema,
  ...Type.Partial(Type.Object(optionalFields)).properties,
});
export type ToolCreate = Static<typeof ToolCreate>;

export const ToolLimits = Type.Object({
  current: Type.Integer(),
  limit: nullable(Type.Integer({ description: "`null` means unlimited" })),
  planId: Type.String(),
  canCreate: Type.Boolean(),
});
export type ToolLimits = Static<typeof ToolLimits>;

const headerValues = Type.Unsafe<Record<string, string>>({ type: "object", additionalProperties: { type: "string" } });

/** The result of a tool test, for members. `request` and `response` exist for HTTP tools, with secrets masked. */
export const ToolTest = Type.Object({
  isError: Type.Boolean(),
  forModel: Type.String({ description: "What the model would receive" }),
  problem: nullable(Type.String({ description: "The exact error message. Never sent to visitors or the model." })),
  result: Type.Unknown({ description: "The complete result. `null` on an error." }),
  warnings: Type.Array(Type.String(), { description: "What the display omits, and why" }),
  forVisitor: Type.Object({ result: Type.Unknown(), display: Type.Unknown(), form: Type.Optional(Type.Unknown()) }),
  durationMs: Type.Integer(),
  request: nullable(
    Type.Object({
      method: Type.String(),
      url: Type.String(),
      headers: headerValues,
      body: nullable(Type.String()),
    }),
  ),
  response: nullable(
    Type.Object({
      status: Type.Integer(),
      headers: headerValues,
      body: Type.String({ description: "The first 64 KB of the response body, as text" }),
    }),
  ),
});
export type ToolTest = Static<typeof ToolTest>;

const tags = ["Tools"];
const params = idParams("tool");
const config = { access: "account" } as const;
const agentId = Type.String({ minLength: 1, description: "Id of the agent" });

export const listTools = {
  method: "GET",
  url: "/tools",
  config,
  schema: {
    tags,
    summary: "List an agent's tools",
    querystring: Type.Object({ agentId }),
    response: { 200: Type.Array(ref(Tool)) },
  },
} as const;

export const getToolLimits = {
  method: "GET",
  url: "/tools/limits",
  config,
  schema: {
    tags,
    summary: "Read the number of tools and the plan's limit, for one agent or for the organization",
    querystring: Type.Object({
      agentId: Type.Optional(
        withDescription(agentId, { description: "Id of the agent. Without it, all agents are counted." }),
      ),
    }),
    response: { 200: ToolLimits },
  },
} as const;

export const getTool = {
  method: "GET",
  url: "/tools/:id",
  config,
  schema: { tags, summary: "Read a tool", params, response: { 200: ref(Tool) } },
} as const;

export const createTool = {
  method: "POST",
  url: "/tools",
  config: { ...config, idempotent: true },
  schema: { tags, summary: "Create a tool", body: ToolCreate, response: { 201: ref(Tool) } },
} as const;

export const updateTool = {
  method: "PUT",
  url: "/tools/:id",
  config,
  schema: { tags, summary: "Update a tool", params, body: ToolChanges, response: { 200: ref(Tool) } },
} as const;

/** The copy has all settings of the tool and its own webhook secret. */
export const duplicateTool = {
  method: "POST",
  url: "/tools/:id/duplicate",
  config,
  schema: {
    tags,
    summary: "Create a copy of a tool, named with the suffix `_copy`",
    params,
    response: { 201: ref(Tool) },
  },
} as const;

export const deleteTool = {
  method: "DELETE",
  url: "/tools/:id",
  config,
  schema: { tags, summary: "Delete a tool", params, response: { 200: Success } },
} as const;

export const testTool = {
  method: "POST",
  url: "/tools/:id/test",
  config,
  schema: {
    tags,
    summary: "Run a tool with an input and see what the model and the visitor would receive",
    params,
    body: Type.Object({
      input: Type.Optional(
        nullable(
          withDescription(AnyObject, {
            description: "The input that the model would pass. Defaults to an empty object.",
          }),
        ),
      ),
      visitor: Type.Optional(
        nullable(
          withDescription(ActingVisitor, {
            description:
              "The verified visitor to act as. Requires the admin role. Without it, the visitor is anonymous.",
          }),
        ),
      ),
    }),
    response: { 200: ToolTest },
  },
} as const;

/** The secret that signs a form's webhooks. For a day after a rotation, the previous secret signs too. */
export const WebhookSecret = Type.Object({
  secret: Type.String({ description: "Secret in the format of Standard Webhooks (`whsec_…`)" }),
  previousSecret: nullable(Type.String()),
  rotatedAt: nullable(Timestamp),
});
export type WebhookSecret = Static<typeof WebhookSecret>;

export const getWebhookSecret = {
  method: "GET",
  url: "/tools/:id/webhook-secret",
  config,
  schema: { tags, summary: "Read the webhook secret of a form tool", params, response: { 200: WebhookSecret } },
} as const;

export const rotateWebhookSecret = {
  method: "POST",
  url: "/tools/:id/webhook-secret/rotate",
  config,
  schema: {
    tags,
    summary: "Rotate the webhook secret of a form tool. The old secret keeps signing for 24 hours.",
    params,
    response: { 200: WebhookSecret },
  },
} as const;
