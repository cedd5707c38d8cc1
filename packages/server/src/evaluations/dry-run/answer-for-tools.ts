import type { ReplyTool } from "../../chat/loop/reply-tool.ts";
import type { ToolRow } from "../../db/tables.ts";
import { toSafeNumbers } from "../../exact-json.ts";
import { type AgentTools, toFunctionTool } from "../../tools/agent-tools.ts";
import { inputProblem } from "../../tools/schema/input-schema.ts";
import { failure, type ToolOutcome } from "../../tools/tool-outcome.ts";

/** A call that the model made in a dry run. */
export type MadeCall = { name: string; input: unknown };

/**
 * The tools of an agent for a reply in which none of them runs. Calls that the real tool would refuse because of their
 * input are refused here too.
 */
export function answerForTools(rows: readonly ToolRow[], answer: (call: MadeCall) => ToolOutcome): AgentTools {
  const find = (name: string) => rows.find((row) => row.name === name);
  return {
    tools: rows.map(toFunctionTool),
    find,
    async runTool({ name, input }) {
      const tool = find(name);
      if (!tool) return failure("There is no such tool.");
      const problem = inputProblem(tool.inputSchema, input);
      return problem === null
        ? answer({ name, input: toSafeNumbers(input) })
        : failure(`The input is not valid: ${problem}.`);
    },
  };
}

/** The tool with which the model asks for a person, without the request. */
export function answerForHuman(tool: ReplyTool | null, answer: (call: MadeCall) => ToolOutcome): ReplyTool | null {
  return tool && { ...tool, run: async (input) => answer({ name: tool.tool.name, input }) };
}

/** What the model reads as the result of a tool. */
export function toOutcome(result: unknown): ToolOutcome {
  const forModel = typeof result === "string" ? result : JSON.stringify(result);
  return { result, isError: false, displayConfig: null, display: null, forModel };
}
