import type { Tool, ToolChanges } from "@foyer/contract";
import type { ToolRow } from "../db/tables.ts";

type Settings = Omit<ToolRow, "id" | "organizationId" | "agentId" | "createdAt" | "updatedAt">;

/** The given fields in their canonical spelling; `type` and `formFieldsSchema` are other spellings of two of them. */
export function canonical({ type, formFieldsSchema, ...changes }: ToolChanges): ToolChanges {
  return {
    ...changes,
    ...(type !== undefined && changes.executionType === undefined ? { executionType: type } : {}),
    ...(formFieldsSchema !== undefined && changes.formSchema === undefined
      ? { formSchema: { fields: formFieldsSchema } }
      : {}),
  };
}

const plainNames = [
  ...["name", "description", "executionType", "mockResponse", "httpUrl", "httpMethod"],
  ...["formExecutionMode", "formWebhookUrl", "formClientHandler"],
] as const;
const jsonNames = ["inputSchema", "displayConfig", "httpHeaders", "formSchema", "formPostActions"] as const;

/**
 * The given settings as columns: what is not given is left out, `null` goes back to the default. Only the names above,
 * because a body may hold anything.
 */
export function toColumns(changes: ToolChanges): Partial<Settings> {
  const given = changes as Record<string, unknown>;
  const plain = plainNames.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]);
  const json = jsonNames
    .filter((name) => given[name] !== undefined)
    .map((name) => [name, given[name] === null ? null : JSON.stringify(given[name])]);
  const { isEnabled } = changes;
  return {
    ...Object.fromEntries([...plain, ...json]),
    ...(isEnabled === undefined ? {} : { isEnabled: isEnabled === false ? 0 : 1 }),
  };
}

/** A tool before anything is said of it. */
export const emptyTool = {
  isEnabled: 1,
  displayConfig: null,
  mockResponse: null,
  httpUrl: null,
  httpMethod: null,
  httpHeaders: null,
  formSchema: null,
  formExecutionMode: null,
  formWebhookUrl: null,
  formClientHandler: null,
  formPostActions: null,
} as const satisfies Partial<Settings>;

/** What its kind has by default is shown, not `null`. */
export function toTool(row: ToolRow): Tool {
  const json = (text: string | null) => (text === null ? null : JSON.parse(text));
  const { executionType: kind } = row;
  return {
    id: row.id,
    agentId: row.agentId,
    name: row.name,
    description: row.description,
    executionType: kind,
    inputSchema: JSON.parse(row.inputSchema),
    isEnabled: row.isEnabled === 1,
    displayConfig: json(row.displayConfig),
    mockResponse: row.mockResponse ?? (kind === "mock" ? "" : null),
    httpUrl: row.httpUrl,
    httpMethod: row.httpMethod ?? (kind === "http" ? "GET" : null),
    httpHeaders: json(row.httpHeaders),
    formSchema: json(row.formSchema),
    formExecutionMode: row.formExecutionMode ?? (kind === "form" ? "webhook" : null),
    formWebhookUrl: row.formWebhookUrl,
    formClientHandler: row.formClientHandler,
    formPostActions: json(row.formPostActions),
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}
