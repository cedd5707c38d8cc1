import type { DisplayConfig, FormField, FormSchema, PostAction, Tool, ToolChanges } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";
import { type SchemaDraft, schemaProblems, toSchema, toSchemaDraft } from "./inputs/input-schema-draft.ts";
import { isObject } from "./is-object.ts";
import { type Keyed, keyed } from "./row-key.ts";

export type ToolKind = Tool["executionType"];
export type HeaderRow = { name: string; value: string };
export type MappingRow = { slot: string; path: string };

/** A post action with what it needs whatever its type; `payload` is JSON. */
export type ActionDraft = {
  type: "webhook" | "team_chat" | "email";
  url: string;
  headers: Keyed<HeaderRow>[];
  payload: string;
  message: string;
  recipientIds: string[];
  subject: string;
};

/** A tool while it is edited: under the names of the contract, so that what the server finds wrong is found here, too. */
export type ToolDraft = {
  name: string;
  description: string;
  /** What visitors read instead of the name; "" for the name itself. */
  label: string;
  isEnabled: boolean;
  resultFor: Tool["resultFor"];
  inputSchema: SchemaDraft;
  displayConfig: {
    type: NonNullable<DisplayConfig["type"]>;
    fieldMappings: Keyed<MappingRow>[];
    options: NonNullable<DisplayConfig["options"]>;
  };
  mockResponse: string;
  httpUrl: string;
  httpMethod: NonNullable<Tool["httpMethod"]>;
  httpHeaders: Keyed<HeaderRow>[];
  formSchema: { fields: Keyed<FormField>[]; submitLabel: string; successMessage: string; errorMessage: string };
  formExecutionMode: NonNullable<Tool["formExecutionMode"]>;
  formWebhookUrl: string;
  formClientHandler: string;
  formPostActions: Keyed<ActionDraft>[];
};

/**
 * What a new tool of a kind starts with. A form needs at least one field, so it starts with the most common one.
 * Results may hold internal fields, so visitors see none of them until a display is chosen.
 */
export function emptyDraft(kind: ToolKind): ToolDraft {
  const fields: FormField[] =
    kind === "form"
      ? [{ name: "email", label: "E-mail", type: "email", validation: { required: { value: true } } }]
      : [];
  return toDraft({ formSchema: { fields }, resultFor: kind === "form" ? "both" : "model" });
}

export function toDraft(tool: Partial<Tool>): ToolDraft {
  const { displayConfig, formSchema } = tool;
  return {
    name: tool.name ?? "",
    description: tool.description ?? "",
    label: tool.label ?? "",
    isEnabled: tool.isEnabled ?? true,
    resultFor: tool.resultFor ?? "both",
    inputSchema: toSchemaDraft(tool.inputSchema ?? {}),
    displayConfig: {
      type: displayConfig?.type ?? "text",
      fieldMappings: Object.entries(displayConfig?.fieldMappings ?? {}).map(([slot, path]) => keyed({ slot, path })),
      options: displayConfig?.options ?? {},
    },
    mockResponse: tool.mockResponse ?? "",
    httpUrl: tool.httpUrl ?? "",
    httpMethod: tool.httpMethod ?? "GET",
    httpHeaders: toHeaderRows(tool.httpHeaders),
    formSchema: {
      fields: (formSchema?.fields ?? []).map((field) => keyed(field)),
      submitLabel: formSchema?.submitLabel ?? "",
      successMessage: formSchema?.successMessage ?? "",
      errorMessage: formSchema?.errorMessage ?? "",
    },
    formExecutionMode: tool.formExecutionMode ?? "webhook",
    formWebhookUrl: tool.formWebhookUrl ?? "",
    formClientHandler: tool.formClientHandler ?? "",
    formPostActions: (tool.formPostActions ?? []).map((action) => keyed(toActionDraft(action))),
  };
}

type ToolBody = Omit<ToolChanges, "type" | "formFieldsSchema"> & { name: string; description: string };

/**
 * What the draft says to the server.
 * @throws FoyerError with the paths of what cannot be said: names that are there twice, JSON that is none
 */
export function toBody(kind: ToolKind, draft: ToolDraft): ToolBody & { inputSchema: Record<string, unknown> } {
  const details = [...schemaProblems(draft.inputSchema), ...listProblems(kind, draft)];
  if (details[0]) throw new FoyerError("VALIDATION_ERROR", "Something is to be mended first.", { details });
  return {
    name: draft.name,
    description: draft.description,
    label: draft.label.trim() || null,
    isEnabled: draft.isEnabled,
    resultFor: draft.resultFor,
    inputSchema: toSchema(draft.inputSchema),
    ...(kind === "form" ? formBody(draft) : { displayConfig: toDisplayConfig(draft.displayConfig) }),
    ...(kind === "mock" ? { mockResponse: draft.mockResponse } : {}),
    ...(kind === "http" ? httpBody(draft) : {}),
  };
}

/** Only what is other than before: what is not sent is not checked again, and not taken back to what this page knows. */
export function changesOf(kind: ToolKind, draft: ToolDraft, changed: Partial<ToolDraft>): ToolChanges {
  return Object.fromEntries(Object.entries(toBody(kind, draft)).filter(([name]) => name in changed));
}

export function toDisplayConfig({ type, fieldMappings, options }: ToolDraft["displayConfig"]): DisplayConfig | null {
  const filled = fieldMappings.filter(({ slot, path }) => slot !== "" && path.trim() !== "");
  if (type === "text" && filled.length === 0 && Object.keys(options).length === 0) return null;
  return {
    type,
    ...(filled.length > 0
      ? { fieldMappings: Object.fromEntries(filled.map(({ slot, path }) => [slot, path.trim()])) }
      : {}),
    ...(Object.keys(options).length > 0 ? { options } : {}),
  };
}

function httpBody({ httpUrl, httpMethod, httpHeaders }: ToolDraft) {
  const headers = filledHeaders(httpHeaders);
  return { httpUrl: httpUrl.trim() || null, httpMethod, httpHeaders: headers.length > 0 ? toHeaders(headers) : null };
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
  };
}

function toActionDraft(action: PostAction): ActionDraft {
  return {
    type: action.type === "slack" ? "team_chat" : action.type,
    url: action.url || action.webhookUrl || "",
    headers: toHeaderRows(action.headers),
    payload: action.payload ? JSON.stringify(action.payload, null, 2) : "",
    message: action.messageTemplate || action.message || "",
    recipientIds: action.recipientIds ?? [],
    subject: action.subject ?? "",
  };
}

function toAction({ type, url, headers, payload, message, recipientIds, subject }: ActionDraft): PostAction {
  if (type === "email") return { type, recipientIds, ...(subject ? { subject } : {}) };
  if (type === "team_chat") return { type, webhookUrl: url.trim(), messageTemplate: message };
  const filled = filledHeaders(headers);
  return {
    type,
    url: url.trim(),
    ...(filled.length > 0 ? { headers: toHeaders(filled) } : {}),
    ...(payload.trim() ? { payload: JSON.parse(payload) } : {}),
  };
}

function toHeaderRows(headers: Record<string, string> | null | undefined): Keyed<HeaderRow>[] {
  return Object.entries(headers ?? {}).map(([name, value]) => keyed({ name, value }));
}

const toHeaders = (rows: HeaderRow[]) => Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value]));
/** A row that nobody wrote in is none. */
const filledHeaders = (rows: HeaderRow[]) => rows.filter(({ name, value }) => name.trim() !== "" || value !== "");

type Problem = { path: string; message: string };

function listProblems(kind: ToolKind, draft: ToolDraft): Problem[] {
  if (kind === "http") return headerProblems("httpHeaders", draft.httpHeaders);
  if (kind === "mock") return [];
  return draft.formPostActions.flatMap(({ type, headers, payload }, index) => {
    if (type !== "webhook") return [];
    const path = `formPostActions.${index}`;
    const isFine = payload.trim() === "" || isJsonObject(payload);
    const problem = { path: `${path}.payload`, message: "must be a JSON object: { … }" };
    return [...headerProblems(`${path}.headers`, headers), ...(isFine ? [] : [problem])];
  });
}

function headerProblems(path: string, rows: HeaderRow[]): Problem[] {
  const filled = filledHeaders(rows);
  const names = filled.map(({ name }) => name.trim().toLowerCase());
  return filled.flatMap(({ name }, index) => {
    if (name.trim() === "") return [{ path: `${path}.`, message: "needs a name" }];
    const isFirst = names.indexOf(names[index] ?? "") === index;
    return isFirst ? [] : [{ path: `${path}.${name.trim()}`, message: "is there twice" }];
  });
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
