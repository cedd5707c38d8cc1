import type {
  DisplayConfig,
  FormConfirmation,
  FormField,
  FormSchema,
  PostAction,
  Tool,
  ToolChanges,
} from "@foyer/contract";
import type { ChatFormat } from "@foyer/contract/rules/chat-formats";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { findInputNames } from "@foyer/contract/rules/url-template";
import { FoyerError } from "@foyer/sdk";
import { type SchemaDraft, schemaProblems, toSchema, toSchemaDraft } from "./input-schema-draft.ts";
import { isObject } from "./is-object.ts";
import { readJson } from "./json-lines.ts";
import { type Keyed, withKey } from "./row-key.ts";

export type ToolKind = Tool["executionType"];
export type HeaderRow = { name: string; value: string };
export type MappingRow = { slot: string; path: string };

/** A post action with the fields of every type; `payload` is JSON, `to` lists addresses that belong to no member. */
export type ActionDraft = {
  type: "webhook" | "team_chat" | "email";
  url: string;
  /** the team chat whose format the message has; null if the address decides */
  format: ChatFormat | null;
  headers: Keyed<HeaderRow>[];
  payload: string;
  message: string;
  recipientIds: string[];
  to: string[];
  subject: string;
};

/** A tool while it is edited. The names are the contract's, so that the server's errors appear at the right fields. */
export type ToolDraft = {
  name: string;
  description: string;
  /** Shown to visitors instead of the name. "" uses the name. */
  label: string;
  isEnabled: boolean;
  resultFor: Tool["resultFor"];
  requires: Tool["requires"];
  inputSchema: SchemaDraft;
  displayConfig: {
    type: NonNullable<DisplayConfig["type"]>;
    fieldMappings: Keyed<MappingRow>[];
    options: NonNullable<DisplayConfig["options"]>;
  };
  mockResponse: string;
  /** A JSON Schema as text. "" accepts every result. */
  clientResultSchema: string;
  httpUrl: string;
  httpMethod: NonNullable<Tool["httpMethod"]>;
  httpHeaders: Keyed<HeaderRow>[];
  /** A JSON template as text. "" sends the inputs as the body. */
  httpBody: string;
  sendVisitorToken: boolean;
  formSchema: { fields: Keyed<FormField>[]; submitLabel: string; successMessage: string; errorMessage: string };
  formExecutionMode: NonNullable<Tool["formExecutionMode"]>;
  formWebhookUrl: string;
  formClientHandler: string;
  formPostActions: Keyed<ActionDraft>[];
  /** `null` sends the visitor no email. */
  formConfirmation: FormConfirmation | null;
};

/**
 * The draft of a new tool. A form needs at least one field, so it starts with the most common one, and emails its
 * submissions to `recipientId` if there is one. Other tools hide their results from visitors until a display is chosen,
 * because results may contain internal fields.
 */
export function createEmptyDraft(kind: ToolKind, recipientId: string | null = null): ToolDraft {
  if (kind !== "form") return toDraft({ resultFor: "model" });
  return toDraft({
    formSchema: {
      fields: [{ name: "email", label: "Email", type: "email", validation: { required: { value: true } } }],
    },
    formPostActions: recipientId === null ? [] : [{ type: "email", recipientIds: [recipientId] }],
  });
}

export function toDraft(tool: Partial<Tool>): ToolDraft {
  const { displayConfig, formSchema } = tool;
  return {
    name: tool.name ?? "",
    description: tool.description ?? "",
    label: tool.label ?? "",
    isEnabled: tool.isEnabled ?? true,
    resultFor: tool.resultFor ?? "both",
    requires: tool.requires ?? null,
    inputSchema: toSchemaDraft(tool.inputSchema ?? {}),
    displayConfig: {
      type: displayConfig?.type ?? "text",
      fieldMappings: Object.entries(displayConfig?.fieldMappings ?? {}).map(([slot, path]) => withKey({ slot, path })),
      options: displayConfig?.options ?? {},
    },
    mockResponse: tool.mockResponse ?? "",
    clientResultSchema: tool.clientResultSchema ? JSON.stringify(tool.clientResultSchema, null, 2) : "",
    httpUrl: tool.httpUrl ?? "",
    httpMethod: tool.httpMethod ?? "GET",
    httpHeaders: toHeaderRows(tool.httpHeaders),
    httpBody: tool.httpBody ? JSON.stringify(tool.httpBody, null, 2) : "",
    sendVisitorToken: tool.sendVisitorToken ?? false,
    formSchema: {
      fields: (formSchema?.fields ?? []).map((field) => withKey(field)),
      submitLabel: formSchema?.submitLabel ?? "",
      successMessage: formSchema?.successMessage ?? "",
      errorMessage: formSchema?.errorMessage ?? "",
    },
    formExecutionMode: tool.formExecutionMode ?? "webhook",
    formWebhookUrl: tool.formWebhookUrl ?? "",
    formClientHandler: tool.formClientHandler ?? "",
    formPostActions: (tool.formPostActions ?? []).map((action) => withKey(toActionDraft(action))),
    formConfirmation: tool.formConfirmation ?? null,
  };
}

type ToolBody = Omit<ToolChanges, "type" | "formFieldsSchema"> & { name: string; description: string };

/**
 * The request body for the draft.
 * @throws FoyerError with the paths of problems that a body cannot express: duplicate names and unreadable JSON
 */
export function toBody(kind: ToolKind, draft: ToolDraft): ToolBody & { inputSchema: Record<string, unknown> } {
  const details = [...schemaProblems(draft.inputSchema), ...listProblems(kind, draft)];
  if (details[0]) throw new FoyerError("VALIDATION_ERROR", "Fix the errors in the form first.", { details });
  return {
    name: draft.name,
    description: draft.description,
    label: draft.label.trim() || null,
    isEnabled: draft.isEnabled,
    resultFor: draft.resultFor,
    requires: draft.requires,
    inputSchema: toSchema(draft.inputSchema),
    ...(kind === "form" ? formBody(draft) : { displayConfig: toDisplayConfig(draft.displayConfig) }),
    ...(kind === "mock" ? { mockResponse: draft.mockResponse } : {}),
    ...(kind === "http" ? requestBody(draft) : {}),
    ...(kind === "client" ? { clientResultSchema: toJson(draft.clientResultSchema) } : {}),
  };
}

/** The body with only the changed fields, so that saving neither validates nor overwrites the others. */
export function pickChanges(kind: ToolKind, draft: ToolDraft, changed: Partial<ToolDraft>): ToolChanges {
  return Object.fromEntries(Object.entries(toBody(kind, draft)).filter(([name]) => name in changed));
}

export function toDisplayConfig({ type, fieldMappings, options }: ToolDraft["displayConfig"]): DisplayConfig | null {
  const filled = fieldMappings.filter(({ slot, path }) => slot !== "" && path.trim() !== "");
  if (type === "text" && filled.length === 0 && Object.keys(options).length === 0) return null;
  const mappings = Object.fromEntries(filled.map(({ slot, path }) => [slot, path.trim()]));
  return omitUndefined({
    type,
    fieldMappings: filled.length > 0 ? mappings : undefined,
    options: Object.keys(options).length > 0 ? options : undefined,
  });
}

const toJson = (text: string) => (text.trim() === "" ? null : JSON.parse(text));

function requestBody({ httpUrl, httpMethod, httpHeaders, httpBody, sendVisitorToken }: ToolDraft) {
  const headers = dropEmptyHeaders(httpHeaders);
  return {
    httpUrl: httpUrl.trim() || null,
    httpMethod,
    httpHeaders: headers.length > 0 ? toHeaders(headers) : null,
    httpBody: toJson(httpBody),
    sendVisitorToken,
  };
}

function formBody(draft: ToolDraft) {
  const { fields, ...texts } = draft.formSchema;
  const said = Object.entries(texts).filter(([, text]) => text !== "");
  const actions = draft.formPostActions.map(toAction);
  return {
    formSchema: { fields, ...Object.fromEntries(said) } as FormSchema,
    formExecutionMode: draft.formExecutionMode,
    formWebhookUrl: draft.formWebhookUrl.trim() || null,
    formClientHandler: draft.formClientHandler.trim() || null,
    formPostActions: actions.length > 0 ? actions : null,
    formConfirmation: draft.formConfirmation,
  };
}

function toActionDraft(action: PostAction): ActionDraft {
  return {
    type: action.type === "slack" ? "team_chat" : action.type,
    url: action.url || action.webhookUrl || "",
    format: action.format ?? null,
    headers: toHeaderRows(action.headers),
    payload: action.payload ? JSON.stringify(action.payload, null, 2) : "",
    message: action.messageTemplate || action.message || "",
    recipientIds: action.recipientIds ?? [],
    to: action.to ?? [],
    subject: action.subject ?? "",
  };
}

function toAction({
  type,
  url,
  format,
  headers,
  payload,
  message,
  recipientIds,
  to,
  subject,
}: ActionDraft): PostAction {
  if (type === "email") {
    return omitUndefined({ type, recipientIds, to: to.length > 0 ? to : undefined, subject: subject || undefined });
  }
  if (type === "team_chat") {
    return omitUndefined({ type, webhookUrl: url.trim(), format: format ?? undefined, messageTemplate: message });
  }
  const filled = dropEmptyHeaders(headers);
  return omitUndefined({
    type,
    url: url.trim(),
    headers: filled.length > 0 ? toHeaders(filled) : undefined,
    payload: payload.trim() ? JSON.parse(payload) : undefined,
  });
}

function toHeaderRows(headers: Record<string, string> | null | undefined): Keyed<HeaderRow>[] {
  return Object.entries(headers ?? {}).map(([name, value]) => withKey({ name, value }));
}

const toHeaders = (rows: HeaderRow[]) => Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value]));
/** Rows that are entirely empty are not sent. */
const dropEmptyHeaders = (rows: HeaderRow[]) => rows.filter(({ name, value }) => name.trim() !== "" || value !== "");

type Problem = { path: string; message: string };

function listProblems(kind: ToolKind, draft: ToolDraft): Problem[] {
  if (kind === "http") {
    const { httpUrl, httpHeaders, httpBody } = draft;
    return [
      ...headerProblems("httpHeaders", httpHeaders),
      ...inputProblems("httpUrl", httpUrl, draft),
      ...(bodyProblems(httpBody) ?? inputProblems("httpBody", httpBody, draft)),
      ...tableProblems(draft),
    ];
  }
  if (kind === "mock") return tableProblems(draft);
  if (kind === "client") return [...resultSchemaProblems(draft), ...tableProblems(draft)];
  return draft.formPostActions.flatMap(({ type, headers, payload }, index) => {
    if (type !== "webhook") return [];
    const path = `formPostActions.${index}`;
    const isFine = payload.trim() === "" || isJsonObject(payload);
    const problem = { path: `${path}.payload`, message: "must be a JSON object: { … }" };
    return [...headerProblems(`${path}.headers`, headers), ...(isFine ? [] : [problem])];
  });
}

function resultSchemaProblems({ clientResultSchema: text }: ToolDraft): Problem[] {
  if (text.trim() === "" || isJsonObject(text)) return [];
  return [{ path: "clientResultSchema", message: "must be a JSON object: { … }" }];
}

/** Without an input of that name, every call would fail. */
function inputProblems(path: string, template: string, { inputSchema }: ToolDraft): Problem[] {
  if (inputSchema.text !== null || inputSchema.rest.additionalProperties) return [];
  const missing = findInputNames(template).filter((name) => !inputSchema.inputs.some((input) => input.name === name));
  return missing.map((name) => ({
    path,
    message: `has {${name}}, but the tool has no input of that name. Add the input, or remove {${name}}`,
  }));
}

/** Returns null for a text that can be sent. */
function bodyProblems(text: string): Problem[] | null {
  if (text.trim() === "") return null;
  const read = readJson(text);
  if (!("lineOf" in read)) return [{ path: "httpBody", message: `Line ${read.line}: ${read.message}` }];
  if (typeof read.value === "object" && read.value !== null) return null;
  return [{ path: "httpBody", message: "must be a JSON object or list" }];
}

/** Without columns, the table would be empty for visitors. */
function tableProblems({ resultFor, displayConfig: { type, fieldMappings } }: ToolDraft): Problem[] {
  const hasColumn = fieldMappings.some(({ slot, path }) => slot !== "rows" && slot !== "" && path.trim() !== "");
  if (resultFor === "model" || type !== "table" || hasColumn) return [];
  return [{ path: "displayConfig.fieldMappings", message: "must have at least one column" }];
}

function headerProblems(path: string, rows: HeaderRow[]): Problem[] {
  const filled = dropEmptyHeaders(rows);
  const names = filled.map(({ name }) => name.trim().toLowerCase());
  return filled.flatMap(({ name }, index) => {
    if (name.trim() === "") return [{ path: `${path}.`, message: "needs a name" }];
    const isFirst = names.indexOf(names[index] ?? "") === index;
    return isFirst ? [] : [{ path: `${path}.${name.trim()}`, message: "is listed twice" }];
  });
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
