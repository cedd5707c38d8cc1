import type { JSONSchema7, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { Db } from "../db/open.ts";
import type { ToolRow } from "../db/tables.ts";
import { runTool, type ToolOutcome } from "./run-tool.ts";
import { createToolStore } from "./tool-store.ts";

/** An agent's tools as its reply needs them: what the model is offered, and how a call is run. */
export type AgentTools = {
  tools: LanguageModelV4FunctionTool[];
  find(name: string): ToolRow | undefined;
  runTool(call: { name: string; input: unknown }): Promise<ToolOutcome>;
};

export function loadAgentTools(db: Db): (agentId: string) => Promise<AgentTools> {
  const store = createToolStore(db);
  return async (agentId) => {
    const rows = await store.enabled(agentId);
    const find = (name: string) => rows.find((row) => row.name === name);
    return {
      tools: rows.map(toFunctionTool),
      find,
      runTool: ({ name, input }) => runTool(find(name), input),
    };
  };
}

function toFunctionTool({ name, description, inputSchema }: ToolRow): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema: JSON.parse(inputSchema) as JSONSchema7 };
}
