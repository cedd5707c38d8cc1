import type { DisplayConfig, FormSchema, PostAction, Tool, ToolChanges } from "@foyer/contract";
import { DEFAULT_DISPLAY_TYPE } from "@foyer/contract/rules/display-types";
import { defaultFormTexts } from "@foyer/contract/rules/form-texts";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { ToolRow } from "../db/tables.ts";
import { parseBodyTemplate } from "./http/body-rules.ts";

type Columns = Omit<ToolRow, "id" | "organizationId" | "agentId" | "createdAt" | "updatedAt">;

/** The given settings of a tool in canonical spelling, without the nulls that clear optional parts. */
export type ToolSettings = Omit<ToolChanges, "type" | "formFieldsSchema" | "displayConfig" | "formSchema"> & {
  displayConfig?: DisplayConfig | null;
  formSchema?: FormSchema | null;
};

/** Copies `type`, the alternate spelling of `executionType`, to the canonical name unless that is given as well. */
export function withExecutionType(body: unknown): unknown {
  if (!isObject(body) || body.type === undefined || body.executionType !== undefined) return body;
  return { ...body, executionType: body.type };
}

/** Reads the settings out of a valid body. */
export function toSettings({ type: _, formFieldsSchema: fields, ...given }: ToolChanges): ToolSettings {
  const { displayConfig, formPostActions: actions, inputSchema } = given;
  const formSchema = given.formSchema === undefined && fields !== undefined ? { fields } : given.formSchema;
  return {
    ...(given as Omit<typeof given, "displayConfig" | "formSchema">),
    ...omitUndefined({
      displayConfig: withoutNulls(displayConfig) as DisplayConfig | null | undefined,
      formSchema: withoutNulls(formSchema) as FormSchema | null | undefined,
      // Only one level deep: a null within `payload` is part of the payload.
      formPostActions: actions?.map((action) => withoutOwnNulls(action) as PostAction) ?? actions,
      inputSchema: inputSchema && canonicalInputSchema(inputSchema),
      httpBody: given.httpBody ? parseBodyTemplate(given.httpBody) : given.httpBody,
    }),
  };
}

/**
 * `null` clears `required`, `description` and `enum`, the optional parts that the API documents. `integer` is an
 * accepted shorthand, stored as `number` with `multipleOf: 1`, because a property's type is one of five.
 */
function canonicalInputSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const { required, properties, ...rest } = schema;
  const entries = isObject(properties) ? Object.entries(properties) : null;
  return {
    ...rest,
    ...omitUndefined({
      properties: entries ? Object.fromEntries(entries.map(([n, p]) => [n, canonicalProperty(p)])) : properties,
      required: required ?? undefined,
    }),
  };
}

function canonicalProperty(property: unknown): unknown {
  if (!isObject(property)) return property;
  const { description, enum: values, type, ...rest } = property;
  return {
    ...(type === "integer" ? { type: "number", multipleOf: 1 } : omitUndefined({ type })),
    ...omitUndefined({ description: description ?? undefined, enum: values ?? undefined }),
    ...rest,
  };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(withoutOwnNulls(value));
  return Object.fromEntries(entries.map(([name, child]) => [name, withoutNulls(child)]));
}

function withoutOwnNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, child]) => child !== null));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const plainNames = [
  "name",
  "description",
  "executionType",
  "mockResponse",
  "httpUrl",
  "httpMethod",
  "formExecutionMode",
  "formWebhookUrl",
  "formClientHandler",
] as const;
const jsonNames = [
  "inputSchema",
  "displayConfig",
  "httpHeaders",
  "clientResultSchema",
  "httpBody",
  "formSchema",
  "formPostActions",
  "formConfirmation",
] as const;

/**
 * Converts the given settings to columns. Omitted settings are left out, and `null` restores the default. Only the
 * columns listed above are set, because a body may contain anything.
 */
export function toColumns(changes: ToolSettings): Partial<Columns> {
  const given = changes as Record<string, unknown>;
  const plain = plainNames.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]);
  const json = jsonNames
    .filter((name) => given[name] !== undefined)
    .map((name) => [name, given[name] === null ? null : JSON.stringify(given[name])]);
  const { isEnabled, label, resultFor, requires, sendVisitorToken } = changes;
  return {
    ...Object.fromEntries([...plain, ...json]),
    ...omitUndefined({
      label: label === undefined ? undefined : label?.trim() || null,
      resultFor: resultFor === null ? "both" : resultFor,
      requires,
      sendVisitorToken: sendVisitorToken === undefined ? undefined : sendVisitorToken === true ? 1 : 0,
      isEnabled: isEnabled === undefined ? undefined : isEnabled === false ? 0 : 1,
    }),
  };
}

/** The defaults of a new tool. */
export const emptyTool = {
  isEnabled: 1,
  label: null,
  resultFor: "both",
  displayConfig: null,
  mockResponse: null,
  httpUrl: null,
  httpMethod: null,
  httpHeaders: null,
  httpBody: null,
  sendVisitorToken: 0,
  requires: null,
  clientResultSchema: null,
  formSchema: null,
  formExecutionMode: null,
  formWebhookUrl: null,
  formClientHandler: null,
  formPostActions: null,
  formConfirmation: null,
  disabledAt: null,
  mayUseUnboundSecrets: 0,
} as const satisfies Partial<Columns>;

/** A tool's display with its type filled in; null when the tool has no display. */
export function parseDisplayConfig({ displayConfig }: Pick<ToolRow, "displayConfig">): DisplayConfig | null {
  return displayConfig === null ? null : { type: DEFAULT_DISPLAY_TYPE, ...JSON.parse(displayConfig) };
}

/** The tool as the API returns it, with the defaults of its kind. */
export function toTool(row: ToolRow): Tool {
  const parseJson = (text: string | null) => (text === null ? null : JSON.parse(text));
  const { executionType: kind } = row;
  return {
    id: row.id,
    agentId: row.agentId,
    name: row.name,
    description: row.description,
    executionType: kind,
    inputSchema: JSON.parse(row.inputSchema),
    isEnabled: row.isEnabled === 1,
    label: row.label,
    resultFor: row.resultFor,
    requires: row.requires,
    displayConfig: parseDisplayConfig(row),
    mockResponse: row.mockResponse ?? (kind === "mock" ? "" : null),
    httpUrl: row.httpUrl,
    httpMethod: row.httpMethod ?? (kind === "http" ? "GET" : null),
    httpHeaders: parseJson(row.httpHeaders),
    clientResultSchema: parseJson(row.clientResultSchema),
    httpBody: parseJson(row.httpBody),
    sendVisitorToken: row.sendVisitorToken === 1,
    formSchema: row.formSchema === null ? null : { ...defaultFormTexts, ...JSON.parse(row.formSchema) },
    formExecutionMode: row.formExecutionMode ?? (kind === "form" ? "webhook" : null),
    formWebhookUrl: row.formWebhookUrl,
    formClientHandler: row.formClientHandler,
    formPostActions: parseJson(row.formPostActions),
    formConfirmation: parseJson(row.formConfirmation),
    warnings: [],
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}
