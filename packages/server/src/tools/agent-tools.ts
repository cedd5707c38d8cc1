import type { JSONSchema7, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { inDraft } from "../db/draft-tables.ts";
import type { AgentRow, ToolRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import type { RunInPage, ToolRunner } from "./run-tool.ts";
import { inlineReferences } from "./schema/inline-references.ts";
import { createToolStore } from "./store.ts";
import { createToolErrors } from "./tool-errors.ts";
import type { ToolOutcome } from "./tool-outcome.ts";
import { failure } from "./tool-outcome.ts";
import type { TurnContext } from "./turn-context.ts";

type Parts = {
  runner: Pick<ToolRunner, "run">;
  /** see versions/frozen-tools.ts */
  frozenTools(agent: AgentRow): Promise<ToolRow[] | undefined>;
};

/** Where the tools come from: the live version, the draft that members edit, or a version that is rolled out. */
export type ToolSource = "live" | "draft" | "rollout";

/** The tools of an agent, as its reply needs them: the definitions for the model, and a function that runs a call. */
export type AgentTools = {
  tools: LanguageModelV4FunctionTool[];
  find(name: string): ToolRow | undefined;
  runTool(
    call: { name: string; input: unknown },
    options: { signal: AbortSignal; runInPage: RunInPage },
  ): Promise<ToolOutcome>;
};

export function createAgentTools({ db, log }: Pick<Deps, "db" | "log">, { runner, frozenTools }: Parts) {
  const live = createToolStore(db);
  const draft = createToolStore(inDraft(db));
  const errors = createToolErrors({ db, log });

  /** The enabled tools of the agent's version. */
  async function readTools(agent: AgentRow, source: ToolSource): Promise<ToolRow[]> {
    const current = await (source === "draft" ? draft : live).enabled(agent.id);
    // After a change since the agent was read, the reply still gets the tools of the version with which it began.
    const isStale = source !== "draft" && agent.liveIsUsed === 1 && current.liveHash !== agent.liveHash;
    const frozen = isStale ? await frozenTools(agent) : undefined;
    if (!frozen) return current.tools;
    if (source === "live") return frozen;
    // Visitors load and submit forms without a conversation, so every version has those of the live one.
    const forms = new Map(current.tools.filter(isForm).map((tool) => [tool.id, tool]));
    return frozen.flatMap((tool) => (isForm(tool) ? (forms.get(tool.id) ?? []) : tool));
  }

  /** The tools that the visitor of this turn may use. */
  return async (agent: AgentRow, context: TurnContext, { source }: { source: ToolSource }): Promise<AgentTools> => {
    const { id: agentId } = agent;
    const store = source === "draft" ? draft : live;
    const tools = await readTools(agent, source);
    const rows = tools.filter((row) => mayUse(row, context));
    const find = (name: string) => rows.find((row) => row.name === name);
    return {
      tools: rows.map(toFunctionTool),
      find,
      async runTool({ name, input }, options) {
        const tool = find(name);
        if (!tool) return failure("There is no such tool.");
        // The reply keeps the tool as it was when the reply began, but a tool that was switched off or deleted since
        // then is not called any more. Tools of a version that is rolled out need not exist in the live one.
        try {
          const found = await store.standingError(agentId, tool.id);
          if (!found && source !== "rollout") return failure("This tool is no longer available.");
          const { outcome, problem } = await runner.run(tool, input, { context, ...options });
          // The outcome of a call that was aborted because the visitor left is unknown. A visitor can forge what a page
          // reports, so it is not shown to members as a failure of the tool. Failures of a draft concern no visitor.
          const isNoted = !options.signal.aborted && tool.executionType !== "client" && source !== "draft";
          if (found && isNoted) await errors.note(tool.id, found.standing, problem);
          return outcome;
        } catch (error) {
          log.error({ err: error, toolId: tool.id }, "could not run a tool");
          return failure("The tool could not be run.");
        }
      },
    };
  };
}

const isForm = ({ executionType }: ToolRow) => executionType === "form";

/** Whether the visitor of the turn may use the tool, and whether their page can run it. */
function mayUse({ requires, executionType, name }: ToolRow, { visitor, clientTools }: TurnContext): boolean {
  const canRun = executionType !== "client" || clientTools.includes(name);
  return canRun && (requires !== "verified" || visitor !== null);
}

/** The definition of a tool for the model. */
export function toFunctionTool({ name, description, inputSchema }: ToolRow): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema: inlineReferences(JSON.parse(inputSchema)) as JSONSchema7 };
}
