import { withoutInvisible } from "@foyer/contract/rules/invisible-characters";
import { createPageToolRunner, type PageTool, type PageToolRunner, type Request } from "@foyer/sdk";
import type { ToolHandler, ToolOptions } from "../foyer-api.ts";

/** A tool as the site has registered it. */
export type RegisteredTool = ToolOptions & { run: ToolHandler };

type PageOfTools = {
  registry: { tools: ReadonlyMap<string, RegisteredTool> };
  visitor: { sessionId: string };
};

/** A question that the visitor answers before a tool runs. `input` has one line for each property of the input. */
export type ToolQuestion = { text: string; input: readonly string[]; answer: (isAllowed: boolean) => void };

/**
 * Runs the tools that the site has registered. `show` shows a question at the call with this id, and with null removes
 * it. Loaded only on pages that have registered a tool.
 */
export function createPageTools(
  request: Request,
  { registry: { tools }, visitor }: PageOfTools,
  show: (callId: string, question: ToolQuestion | null) => void,
): PageToolRunner {
  const findTool = (name: string): PageTool | undefined => {
    const tool = tools.get(name);
    if (!tool?.confirm) return tool && { run: tool.run };
    const text = tool.confirm;
    return {
      run: tool.run,
      confirm: ({ id, input, signal }) =>
        new Promise((resolve) => {
          const answer = (isAllowed: boolean) => {
            show(id, null);
            resolve(isAllowed);
          };
          signal.addEventListener("abort", () => answer(false));
          show(id, { text, input: formatInput(input), answer });
        }),
    };
  };
  return createPageToolRunner(request, findTool, visitor.sessionId);
}

/** The model chooses the input, so the visitor must be shown exactly what the tool receives. */
export function formatInput(input: Record<string, unknown>): string[] {
  return Object.entries(input).map(([name, value]) =>
    withoutInvisible(`${name.replaceAll("_", " ")}: ${typeof value === "object" ? JSON.stringify(value) : value}`),
  );
}
