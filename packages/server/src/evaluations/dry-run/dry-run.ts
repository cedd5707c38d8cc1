import type { FastifyBaseLogger } from "fastify";
import type { ReplyTool } from "../../chat/loop/reply-tool.ts";
import type { TraceStep } from "../../chat/loop/trace.ts";
import { produceReply } from "../../chat/running/run-reply.ts";
import { createRunningReply } from "../../chat/running/running-reply.ts";
import type { ReplyEnding } from "../../chat/stream/reply-events.ts";
import { createAttachmentParts, type SentAttachment } from "../../chat/turn/attachment-parts.ts";
import { listEarlierPassages, toPrompt } from "../../chat/turn/model-prompt.ts";
import type { Note } from "../../chat/turn/prompt-notes.ts";
import type { HistoryRow } from "../../conversations/log/queries.ts";
import type { Piece } from "../../conversations/message-pieces.ts";
import type { AgentRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import type { ReplyDocuments } from "../../documents/search-tool.ts";
import { AppError } from "../../errors.ts";
import type { ModelChain } from "../../models/model-chain.ts";
import type { TokenBudgets } from "../../plans/token-budget.ts";
import type { AgentTools } from "../../tools/agent-tools.ts";

export type DryRunLog = Pick<FastifyBaseLogger, "warn" | "error">;

/** One reply to produce. `history` ends with the visitor's message. */
export type DryRunTurn = {
  agent: AgentRow;
  models: ModelChain;
  history: HistoryRow[];
  notes?: Note[];
  /** the attachments of the history */
  attached?: readonly SentAttachment[];
  tools: AgentTools;
  documents: ReplyDocuments | null;
  humanTool: ReplyTool | null;
  signal: AbortSignal;
  /** ends the reply early, with what it has by then */
  until?: AbortSignal;
  log: DryRunLog;
};

/** A reply that nobody receives and that is not stored. */
export type DryReply = {
  pieces: Piece[];
  ending: ReplyEnding;
  /** why the agent could not reply, for members; null when it did */
  problem: string | null;
  steps: TraceStep[];
  /** estimated where the provider counts none */
  tokens: number;
  /** null if a price is unknown */
  cost: number | null;
  durationMs: number;
};

export type DryRun = ReturnType<typeof createDryRun>;

/**
 * Produces replies with the loop of the chat, but with the caller's tools. Nothing is stored, and nobody is notified.
 * The tokens count towards the organization's budget.
 */
export function createDryRun(
  { config, models, prices }: Pick<Deps, "config" | "models" | "prices">,
  budgets: TokenBudgets,
) {
  return {
    /**
     * The agent's own model. Fallback models are left out, so that every reply is that of the same model.
     * @throws 409 when the organization's budget is used up, 503 when the model is not configured
     */
    async chooseModel(agent: AgentRow): Promise<ModelChain> {
      const chain = await models.choose({ ...agent, fallbackModels: "[]" }, { isVisitor: false });
      const organizationId = chain.model.isOperatorPaid ? agent.organizationId : null;
      const owner = budgets.usageOwnerOf({ visitor: null, ip: null, organizationId });
      // Budgets of the agent are for its visitors.
      const unlimited = { ...agent, monthlyTokenBudget: null, monthlyCostBudget: null };
      if ((await budgets.refusal(unlimited, owner)) !== null) {
        throw new AppError("CONFLICT", "The organization's token budget for this month is used up.");
      }
      return chain;
    },
    /** Produces one reply. Problems of the model are part of the result. @throws the signal's reason */
    async reply({
      agent,
      models: chain,
      history,
      notes = [],
      attached = [],
      documents,
      signal,
      until,
      ...turn
    }: DryRunTurn): Promise<DryReply> {
      const { organizationId, systemPrompt } = agent;
      if (documents?.kind === "search") documents.continueFrom(listEarlierPassages(history));
      const reference = documents?.kind === "prefix" ? documents.text : null;
      const partsOf = createAttachmentParts(attached);
      const { prompt } = toPrompt({ systemPrompt, reference, modelId: chain.modelId, partsOf }, history, notes);
      const reply = createRunningReply(
        { conversationId: "", messageId: "", conversationToken: null },
        { agentId: agent.id, resumable: true, resumeWindow: 0 },
      );
      const since = performance.now();
      const stop = () => reply.abort();
      signal.throwIfAborted();
      signal.addEventListener("abort", stop, { once: true });
      until?.addEventListener("abort", stop, { once: true });
      try {
        const outcome = await produceReply(
          reply,
          {
            ...turn,
            // Follow-up questions are not part of the answer, and would double the number of calls.
            agent: { ...agent, followUps: 0 },
            models: chain,
            prompt,
            documents,
            pageOrigin: undefined,
            question: history.findLast(({ role }) => role === "user")?.content ?? "",
            refusal: null,
          },
          { limits: config.models, waitForPage: async () => ({ error: "No page runs this tool." }) },
        );
        const { ending, failure, tokens } = outcome;
        const steps = outcome.steps.map(({ step }) => step);
        const { cost } = await prices.priceSteps(organizationId, steps);
        if (chain.model.isOperatorPaid) await budgets.countForOrganization(organizationId, tokens);
        signal.throwIfAborted();
        const problem = ending.error ? (failure?.message ?? ending.error.message) : null;
        const durationMs = Math.round(performance.now() - since);
        return { pieces: reply.pieces, ending, problem, steps, tokens, cost, durationMs };
      } finally {
        signal.removeEventListener("abort", stop);
        until?.removeEventListener("abort", stop);
        reply.end({ stopReason: "end_turn" });
      }
    },
  };
}
