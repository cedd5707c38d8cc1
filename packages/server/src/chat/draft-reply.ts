import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { FastifyBaseLogger } from "fastify";
import { replyQueries } from "../conversations/log/queries.ts";
import type { AttachmentRow } from "../db/tables/attachments.ts";
import type { AgentRow } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Deps } from "../deps.ts";
import type { ReplyDocuments } from "../documents/search-tool.ts";
import { AppError } from "../errors.ts";
import { describeFailure } from "../models/provider-failure.ts";
import type { TokenBudgets } from "../plans/token-budget.ts";
import { failure } from "../tools/tool-outcome.ts";
import { createCitationFilter } from "./filters/citation-filter.ts";
import { type LoopInput, runAgentLoop } from "./loop/agent-loop.ts";
import type { TraceStep } from "./loop/trace.ts";
import { createAttachmentParts } from "./turn/attachment-parts.ts";
import type { AttachmentLoader } from "./turn/load-attachments.ts";
import { historyLimits, listEarlierPassages, toPrompt } from "./turn/model-prompt.ts";
import type { Note } from "./turn/prompt-notes.ts";

/**
 * One step for a search of the documents, one for the answer, and one for a second search if the first found nothing.
 */
const MAX_STEPS = 3;
/** The longest message that a member can send, in characters. */
const MAX_DRAFT = 8_000;

const instructions =
  "[A member of the team talks to the visitor now. Write a draft of the member's next message to the visitor, in the visitor's language. Write only the message itself, without a greeting that has been said before, a signature or a comment. Do not promise anything that the conversation or the documents do not say.]";

const attachmentInstructions =
  "[The member attaches the following pictures and files to the message that you draft. Mention them where it helps the visitor.]";

/** Stands for the message that is drafted. */
const DRAFT = "draft";

type UserParts = Extract<LanguageModelV4Message, { role: "user" }>["content"];

type Parts = {
  budgets: TokenBudgets;
  documentsOf(agent: AgentRow, options: { mustSearch: boolean }): Promise<ReplyDocuments | null>;
  notesOf(agentId: string, conversationId: string): Promise<Note[]>;
  attachmentsOf: AttachmentLoader;
};

export type DraftWriter = ReturnType<typeof createDraftWriter>;

type Log = Pick<FastifyBaseLogger, "warn">;

/**
 * Drafts the answer that a member may send. The agent reads the conversation and its documents, but calls no tools, and
 * nothing is stored except the tokens that it used, and what they cost.
 */
export function createDraftWriter(
  { db, models, prices, config }: Pick<Deps, "db" | "models" | "prices" | "config">,
  { budgets, documentsOf, notesOf, attachmentsOf }: Parts,
) {
  const queries = replyQueries(db);

  /** @throws 503 when the model is not configured or fails, 409 when the budget is used up */
  return async (
    agent: AgentRow,
    conversationId: string,
    { attached, signal, log }: { attached: readonly AttachmentRow[]; signal: AbortSignal; log: Log },
  ): Promise<string> => {
    const chain = await models.choose(agent, { isVisitor: false });
    const { model } = chain;
    const organizationId = model.isOperatorPaid ? agent.organizationId : null;
    const usageOwner = budgets.usageOwnerOf({ visitor: null, ip: null, organizationId });
    if ((await budgets.refusal(agent, usageOwner)) !== null) {
      throw new AppError("CONFLICT", "The agent's budget is used up, so it cannot write a draft.");
    }
    // The demo model quotes search results, because it cannot read a prompt.
    const documents = await documentsOf(agent, { mustSearch: model.source === null });
    const { rows } = await queries.history(db, { conversationId, ...historyLimits });
    const history = rows.reverse();
    const notes = [
      ...(await notesOf(agent.id, conversationId)),
      { createdAt: Number.POSITIVE_INFINITY, text: instructions },
    ];
    if (documents?.kind === "search") documents.continueFrom(listEarlierPassages(history));
    const reference = documents?.kind === "prefix" ? documents.text : null;
    const message = { id: DRAFT, attachments: attached.map((row) => ({ ...row, uploaderId: null })) };
    const partsOf = createAttachmentParts(await attachmentsOf(conversationId, [message], null));
    const question = history.findLast(({ role }) => role === "user")?.content ?? "";
    let tokens = 0;
    const steps: TraceStep[] = [];
    const draft = collectText();
    try {
      const input: LoopInput = {
        models: chain,
        prompt: withAttached(
          toPrompt({ systemPrompt: agent.systemPrompt, reference, modelId: chain.modelId, partsOf }, history, notes)
            .prompt,
          partsOf(DRAFT),
        ),
        temperature: agent.temperature / 100,
        maxOutputTokens: agent.maxOutputTokens,
        reasoning: agent.reasoning,
        maxSteps: MAX_STEPS,
        ...createTools(documents),
        openingCall: documents?.kind === "search" ? documents.openingCall(question) : null,
        limits: config.models,
        signal,
        onTokensUsed(more) {
          tokens += more;
        },
        onStep: (step) => void steps.push(step),
      };
      await runAgentLoop(input, draft.output);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error }, "no draft");
      throw new AppError(
        "OVERLOADED",
        `The agent could not write a draft. ${describeFailure(error, chain.model).message}`,
      );
    } finally {
      const { cost } = await prices.priceSteps(agent.organizationId, steps);
      const usage = { agentId: agent.id, ...usageOwner, tokens, cost: cost ?? 0 };
      if (tokens > 0) await inTransaction(db, (trx) => budgets.count(trx, [usage]));
    }
    return draft.text();
  };
}

/** Adds what the member will attach to the end of the prompt. */
function withAttached(prompt: LanguageModelV4Prompt, parts: UserParts): LanguageModelV4Prompt {
  const last = prompt.at(-1);
  if (parts.length === 0 || last?.role !== "user") return prompt;
  const announcement = { type: "text" as const, text: attachmentInstructions };
  return [...prompt.slice(0, -1), { ...last, content: [...last.content, announcement, ...parts] }];
}

/** The search of the documents is the only tool, because all others act for the visitor. */
function createTools(documents: ReplyDocuments | null): Pick<LoopInput, "tools" | "find" | "runTool"> {
  const search = documents?.kind === "search" ? documents : null;
  return {
    tools: search ? [search.tool] : [],
    find: () => ({ id: null, label: null, executionType: "documents" }),
    runTool: async ({ name, input }) =>
      search && name === search.tool.name ? search.run(input) : failure("There is no such tool."),
  };
}

/** Collects the text of the last step, because earlier steps only announce a search. Citations are left out. */
function collectText() {
  const citations = createCitationFilter(() => false);
  let text = "";
  return {
    output: {
      text(delta: string) {
        text += citations.push(delta);
      },
      closeText() {
        text += citations.flush();
      },
      toolUse() {
        text = "";
      },
      toolResult() {},
    },
    text: () => text.trim().slice(0, MAX_DRAFT),
  };
}
