import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { runAgentLoop } from "../chat/loop/agent-loop.ts";
import type { TraceStep } from "../chat/loop/trace.ts";
import type { Deps } from "../deps.ts";
import type { ModelChain } from "../models/model-chain.ts";
import { ModelError } from "../models/model-error.ts";
import type { TokenBudgets } from "../plans/token-budget.ts";
import { quoteJson } from "../quoted-json.ts";
import { failure } from "../tools/tool-outcome.ts";

const MAX_ANSWER = 2_000;

type Question = {
  organizationId: string;
  models: ModelChain;
  instructions: string;
  /** quoted as JSON, because it contains what visitors and models have written */
  data: unknown;
  maxOutputTokens: number;
  signal: AbortSignal;
};

export type AskQuestion = ReturnType<typeof createQuestion>;

/** @returns a function that asks a model one question without tools. The tokens count like those of a dry run. */
export function createQuestion({ config, prices }: Pick<Deps, "config" | "prices">, budgets: TokenBudgets) {
  return async ({ organizationId, models, instructions, data, maxOutputTokens, signal }: Question) => {
    const prompt: LanguageModelV4Prompt = [
      { role: "system", content: instructions },
      { role: "user", content: [{ type: "text", text: quoteJson(data) }] },
    ];
    const steps: TraceStep[] = [];
    let [text, tokens] = ["", 0];
    let problem: string | null = null;
    try {
      await runAgentLoop(
        {
          models,
          prompt,
          tools: [],
          temperature: 0,
          maxOutputTokens,
          maxSteps: 1,
          limits: config.models,
          find: () => undefined,
          runTool: async () => failure("There is no such tool."),
          signal,
          onTokensUsed(more) {
            tokens += more;
          },
          onStep: (step) => void steps.push(step),
        },
        {
          text(delta) {
            text = (text + delta).slice(0, MAX_ANSWER);
          },
          closeText() {},
          toolUse() {},
          toolResult() {},
        },
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      problem = error.message;
    }
    const { cost } = await prices.priceSteps(organizationId, steps);
    if (models.model.isOperatorPaid) await budgets.countForOrganization(organizationId, tokens);
    return { text: text.trim(), problem, tokens, cost };
  };
}
