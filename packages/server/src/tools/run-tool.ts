import type { ToolRow } from "../db/tables.ts";

/** What came of a tool call: for the visitor, and (`forModel`) in the words that the model is told. */
export type ToolOutcome = {
  result: unknown;
  isError: boolean;
  displayConfig: unknown;
  display: unknown;
  form?: unknown;
  forModel: string;
};

/** Runs a tool with the input that the model gave. Never rejects: a failure is an outcome that the model is told. */
export async function runTool(tool: ToolRow | undefined, input: unknown): Promise<ToolOutcome> {
  if (!tool) return failure("There is no such tool.");
  if (typeof input !== "object" || input === null) return failure("The input is not a JSON object.");
  const displayConfig = tool.displayConfig ? JSON.parse(tool.displayConfig) : null;
  const result = tool.mockResponse ?? "";
  return { result, isError: false, displayConfig, display: null, forModel: result };
}

function failure(message: string): ToolOutcome {
  return { result: message, isError: true, displayConfig: null, display: null, forModel: message };
}
