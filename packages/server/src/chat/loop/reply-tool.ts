import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import type { ToolOutcome } from "../../tools/tool-outcome.ts";

/** A built-in tool of one reply. */
export type ReplyTool = {
  tool: LanguageModelV4FunctionTool;
  executionType: string;
  /**
   * Returns the part of the input that the visitor may see. Without this function, the visitor sees the whole input.
   */
  shownInput?(input: unknown): unknown;
  /** Never rejects. */
  run(input: unknown): Promise<ToolOutcome>;
};
