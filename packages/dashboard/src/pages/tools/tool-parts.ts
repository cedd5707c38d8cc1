import type { ToolKind } from "./tool-draft.ts";

export type Part = "about" | "response" | "request" | "page" | "fields" | "delivery" | "inputs" | "display" | "test";

export const partNames: Record<Part, string> = {
  about: "About",
  response: "Response",
  request: "Request",
  page: "Page code",
  fields: "Fields",
  delivery: "Delivery",
  inputs: "Inputs",
  display: "Display",
  test: "Test",
};

/** The parts of a tool's editor, in order. Each has its own URL. An unsaved tool cannot be tested. */
export function editorParts(kind: ToolKind, isNew: boolean): Part[] {
  const parts: Record<ToolKind, Part[]> = {
    mock: ["about", "response", "inputs", "display", "test"],
    http: ["about", "request", "inputs", "display", "test"],
    form: ["about", "fields", "delivery", "inputs"],
    client: ["about", "inputs", "page", "display"],
  };
  return parts[kind].filter((part) => !(isNew && part === "test"));
}

/** The part in which the value at the server's `path` is edited. */
export function partAt(path: string): Part {
  const [field = ""] = path.split(".", 1);
  return homes[field] ?? "about";
}

const homes: Record<string, Part> = {
  mockResponse: "response",
  clientResultSchema: "page",
  httpUrl: "request",
  httpMethod: "request",
  httpHeaders: "request",
  httpBody: "request",
  sendVisitorToken: "request",
  inputSchema: "inputs",
  displayConfig: "display",
  formSchema: "fields",
  formExecutionMode: "delivery",
  formWebhookUrl: "delivery",
  formClientHandler: "delivery",
  formPostActions: "delivery",
  formConfirmation: "delivery",
  resultFor: "display",
};
