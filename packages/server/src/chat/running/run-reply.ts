import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { FastifyBaseLogger } from "fastify";
import type { ConversationLog } from "../../conversations/log/log.ts";
import type { EndedReply } from "../../conversations/log/turn.ts";
import { joinText, type Piece, toColumns } from "../../conversations/message-pieces.ts";
import type { AgentRow, MessageRow } from "../../db/tables.ts";
import { type DocumentSearch, type ReplyDocuments, SEARCH_TOOL } from "../../documents/search-tool.ts";
import { toJsNumbers } from "../../exact-json.ts";
import type { AskLimits } from "../../models/ask-model.ts";
import type { ModelChain } from "../../models/model-chain.ts";
import { ModelError } from "../../models/model-error.ts";
import type { Prices } from "../../models/prices/service.ts";
import { describeChangeover, describeFailure } from "../../models/provider-failure.ts";
import type { UsageOwner } from "../../plans/token-budget.ts";
import type { RecordedReply, RecordedStep } from "../../telemetry/reply-spans.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { AgentTools } from "../../tools/agent-tools.ts";
import { isFromPage } from "../../tools/quoted-data.ts";
import type { NumberedPassage } from "../../tools/tool-outcome.ts";
import type { ClientToolCalls } from "../client-tools/calls.ts";
import { createCitationFilter } from "../filters/citation-filter.ts";
import { createKnownLinks, createLinkFilter } from "../filters/link-filter.ts";
import { createRemovedLinks, listNamingTexts } from "../filters/removed-links.ts";
import { type LoopInput, type ReplyOutput, runAgentLoop } from "../loop/agent-loop.ts";
import type { ReplyTool } from "../loop/reply-tool.ts";
import { addUsage, noUsage, type OnStep, type TraceStep } from "../loop/trace.ts";
import type { ReplyEnding } from "../stream/reply-events.ts";
import { addFollowUps } from "./follow-ups.ts";
import { toAnswer } from "./reply-answer.ts";
import type { RunningReplies } from "./running-replies.ts";
import type { RunningReply } from "./running-reply.ts";

const MAX_STEPS = 8;

/** The request's log, so that a failure is logged with the request id. */
export type ReplyLog = Pick<FastifyBaseLogger, "warn" | "error">;

/** What the content of a reply is made of. */
export type ReplySource = {
  agent: AgentRow;
  models: ModelChain;
  prompt: LanguageModelV4Prompt;
  /** the origin of the page on which the visitor is chatting */
  pageOrigin: string | undefined;
  tools: AgentTools;
  documents: ReplyDocuments | null;
  /** asks for a person; null when the model cannot */
  humanTool: ReplyTool | null;
  /** the visitor's last message, for which the documents are searched before the model is called */
  question: string;
  log: ReplyLog;
  /** a message to send instead of calling the model, or null */
  refusal: string | null;
};

type Run = ReplySource & {
  /** what is stored of the prompt, see turn/prompt-notes.ts */
  promptState: string;
  /** the budgets that the reply counts towards, see plans/token-budget.ts */
  usageOwner: UsageOwner;
  /** true when a member is trying the agent out: nothing is counted in the analytics */
  isTest: boolean;
  /** the epoch in which the reply began */
  epoch: number;
};

type Parts = {
  conversationLog: Pick<ConversationLog, "finish">;
  replies: RunningReplies;
  clientTools: ClientToolCalls;
  priceSteps: Prices["priceSteps"];
  telemetry: Telemetry;
};

/** How a reply ended, what it used, and the cause of a failure for members. */
type ReplyOutcome = {
  ending: ReplyEnding;
  failure: EndedReply["failure"];
  tokens: number;
  steps: RecordedStep[];
} & Pick<MessageRow, "removedLinks">;

/** Runs a reply from the first model call until its end is stored. The returned function never rejects. */
export function createReplyRunner(
  limits: AskLimits,
  { conversationLog, replies, clientTools, priceSteps, telemetry }: Parts,
) {
  return async (reply: RunningReply, run: Run): Promise<void> => {
    const { agent, models, documents, question, log, usageOwner, refusal, isTest, epoch } = run;
    const startedAt = Date.now();
    const { waitFor } = clientTools.ofReply(reply);
    const outcome = await produceReply(reply, run, { limits, waitForPage: waitFor });
    let { ending } = outcome;
    const { failure, tokens, removedLinks } = outcome;
    let isStored = false;
    try {
      await replies.confirm(reply);
      // Calls of tools that run concurrently are reported in the order in which they end.
      const inOrder = outcome.steps.map(({ step }) => step).sort((a, b) => a.startedAt - b.startedAt);
      const { steps: priced, cost } = await priceSteps(agent.organizationId, inOrder);
      const steps = priced.map(({ cacheWriteTokens: _, ...step }) => step);
      const end = {
        id: reply.messageId,
        now: Date.now(),
        stopReason: ending.stopReason,
        ...toColumns(reply.pieces),
        removedLinks,
        inputTokens: ending.usage?.inputTokens ?? null,
        cachedInputTokens: ending.usage?.cachedInputTokens ?? null,
        outputTokens: ending.usage?.outputTokens ?? null,
        promptState: refusal === null ? run.promptState : null,
        ...describeModel(models, { steps: inOrder, isCalled: refusal === null }),
        cost,
      };
      const { conversationId, messageId } = reply;
      const scope = { organizationId: agent.organizationId, agentId: agent.id, conversationId, messageId };
      const isRecorded = documents !== null && !isTest && refusal === null;
      const { stopReason } = ending;
      const promptText = documents?.kind === "prefix" ? documents.text : null;
      const askedAt = performance.now();
      const result = await conversationLog.finish({
        conversationId,
        epoch,
        end,
        usage: { agentId: agent.id, ...usageOwner, tokens, cost: cost ?? 0 },
        failure,
        failedTools: reply.pieces.filter(isFailedTool).length,
        isCounted: !isTest && refusal === null,
        answer: isRecorded
          ? { ...scope, ...toAnswer(reply.pieces, { question, stopReason, promptText }), at: end.now }
          : null,
        agent,
        steps,
        startedAt,
      });
      isStored = result === "stored";
      if (isStored) reply.confirm(askedAt);
      // The reply was not stored, so the stream must not claim that it was.
      else ending = { stopReason: result === "handed over" ? "handed_over" : "aborted" };
    } catch (error) {
      log.error({ err: error }, "the reply could not be stored");
      ending = { stopReason: "error", error: { code: "INTERNAL", message: "The reply could not be stored." } };
    }
    replies.remove(reply);
    reply.end(ending, { isStored });
    if (refusal === null)
      telemetry.recordReply(toRecordedReply(reply, run, { startedAt, ending, steps: outcome.steps }));
  };
}

/** Waits for the result of a call that runs in the visitor's page. */
type WaitForPage = ReturnType<ClientToolCalls["ofReply"]>["waitFor"];

/**
 * Produces the content of a reply: the text, the calls of tools, and the follow-up questions. Stores nothing. Never
 * rejects.
 */
export async function produceReply(
  reply: RunningReply,
  source: ReplySource,
  { limits, waitForPage }: { limits: AskLimits; waitForPage: WaitForPage },
): Promise<ReplyOutcome> {
  const { agent, models, documents, question, log, refusal } = source;
  const outcome: ReplyOutcome = {
    ending: { stopReason: "end_turn" },
    failure: null,
    tokens: 0,
    steps: [],
    removedLinks: null,
  };
  const onStep: OnStep = (step, texts) => void outcome.steps.push({ step, texts });
  const onTokensUsed = (more: number) => {
    outcome.tokens += more;
  };
  try {
    const onLinksRemoved = (removedLinks: MessageRow["removedLinks"]) => {
      outcome.removedLinks = removedLinks;
    };
    const output = documents ? withCheckedText(reply, documents, { ...source, onLinksRemoved }) : reply;
    const loop = { ...createLoopInput(reply, source, waitForPage), limits, onTokensUsed, onStep };
    outcome.ending = refusal === null ? await runAgentLoop(loop, output) : endWithText(refusal, reply);
  } catch (error) {
    outcome.ending = reply.signal.aborted ? { stopReason: "aborted" } : endWithError(error, log);
    if (outcome.ending.error) {
      outcome.failure = {
        organizationId: agent.organizationId,
        agentId: agent.id,
        code: outcome.ending.error.code,
        ...describeFailure(error, models.model),
        isAnswered: 0,
      };
    }
  }
  outcome.failure ??= toChangeoverFailure(agent, models);
  if (reply.isHandedOver) outcome.ending = { stopReason: "handed_over" };
  if (refusal !== null) return outcome;
  if (documents?.kind === "prefix") reply.keepCited(documents.passages);
  else if (documents?.earlier.some(({ isCited }) => isCited)) reply.keepCited(documents.earlier);
  const { stopReason, usage } = outcome.ending;
  if (stopReason === "end_turn") {
    const cost = await addFollowUps(reply, { agent, models, question, log, onStep });
    onTokensUsed(cost.tokens);
    if (usage) outcome.ending = { stopReason, usage: addUsage(usage, cost.usage) };
  }
  return outcome;
}

function createLoopInput(
  reply: RunningReply,
  { agent, models, prompt, tools, documents, humanTool, question }: ReplySource,
  waitForPage: WaitForPage,
): Omit<LoopInput, "limits"> {
  const callable: Callable = {
    ...tools,
    runTool: (call, options) =>
      tools.runTool(call, {
        signal: options.signal,
        runInPage: (toolId) => waitForPage({ toolId, toolUseId: call.id }, options),
      }),
  };
  const withHuman = humanTool ? withTool(callable, humanTool) : callable;
  return {
    models,
    prompt,
    documentCharacters: documents?.kind === "prefix" ? documents.text.length : 0,
    temperature: agent.temperature / 100,
    maxOutputTokens: agent.maxOutputTokens,
    reasoning: agent.reasoning,
    maxSteps: MAX_STEPS,
    ...(documents?.kind === "search" ? withTool(withHuman, toReplyTool(documents)) : withHuman),
    openingCall: documents?.kind === "search" ? documents.openingCall(question) : null,
    signal: reply.signal,
  };
}

type Callable = Pick<LoopInput, "tools" | "find" | "runTool">;

function toReplyTool({ tool, run }: DocumentSearch): ReplyTool {
  return { tool, executionType: "documents", run };
}

/** Adds a built-in tool to the agent's tools. It takes precedence over a tool of the same name. */
function withTool(tools: Callable, { tool, executionType, shownInput, run }: ReplyTool): Callable {
  const { name } = tool;
  const info = { id: null, label: null, executionType, ...(shownInput ? { shownInput } : {}) };
  return {
    tools: [tool, ...tools.tools.filter((one) => one.name !== name)],
    find: (called: string) => (called === name ? info : tools.find(called)),
    runTool: (call, options) => (call.name === name ? run(toJsNumbers(call.input)) : tools.runTool(call, options)),
  };
}

/** Removes citations of passages that the model has not received, and links that only a passage contains. */
function withCheckedText(
  reply: RunningReply,
  documents: ReplyDocuments,
  { onLinksRemoved, ...sources }: LinkSources & { onLinksRemoved: (hosts: MessageRow["removedLinks"]) => void },
): ReplyOutput {
  const citations = createCitationFilter(documents.cite);
  const isKnown = createKnownLinks(() => listTrustedTexts(reply, documents, sources));
  const removed = createRemovedLinks(isKnown);
  const links = createLinkFilter(isKnown, (address) => {
    removed.add(address);
    onLinksRemoved(removed.toColumn());
  });
  const show = (text: string) => {
    if (text !== "") reply.text(text);
  };
  const closeText = () => {
    show(links.push(citations.flush()) + links.flush());
    reply.closeText();
  };
  return {
    thinking: reply.thinking,
    notice: reply.notice,
    // Filter links last, because removing the citation from `htt[99]ps://` creates an address.
    text: (text) => show(links.push(citations.push(text))),
    closeText,
    toolUse(piece) {
      closeText();
      reply.toolUse(piece);
    },
    toolResult: reply.toolResult,
  };
}

type LinkSources = Pick<ReplySource, "agent" | "prompt" | "pageOrigin">;

/** Yields texts that the agent's owner has written or configured, as opposed to the texts of documents. */
function* listTrustedTexts(reply: RunningReply, documents: ReplyDocuments, { agent, prompt, pageOrigin }: LinkSources) {
  yield* listNamingTexts(agent);
  if (pageOrigin) yield pageOrigin;
  yield* listAddresses(documents.kind === "prefix" ? documents.passages : documents.earlier);
  for (const piece of reply.pieces) {
    if (piece.type !== "tool" || !piece.result) continue;
    if (piece.result.passages) yield* listAddresses(piece.result.passages);
    else if (!isFromPage(piece.result.forModel)) yield piece.result.forModel;
  }
  // Include the results of earlier replies, except for those of searches.
  for (const message of prompt) {
    if (message.role !== "tool") continue;
    for (const part of message.content) {
      if (part.type !== "tool-result" || part.output.type !== "text" || isFromPage(part.output.value)) continue;
      if (part.toolName === SEARCH_TOOL) continue;
      yield part.output.value;
    }
  }
}

function* listAddresses(passages: readonly NumberedPassage[]): Generator<string> {
  for (const { url, citation } of passages) if (url && citation === "link") yield url;
}

function isFailedTool(piece: Piece): boolean {
  return piece.type === "tool" && piece.result?.isError === true;
}

function endWithText(text: string, reply: RunningReply): ReplyEnding {
  reply.text(text);
  reply.closeText();
  return { stopReason: "end_turn", usage: noUsage };
}

function toRecordedReply(
  { conversationId, messageId, pieces }: RunningReply,
  { agent, models, question }: Run,
  { startedAt, ending, steps }: { startedAt: number; ending: ReplyEnding; steps: readonly RecordedStep[] },
): RecordedReply {
  return {
    agent,
    model: models.fallbackFrom ?? models.modelId,
    conversationId,
    messageId,
    startedAt,
    endedAt: Date.now(),
    stopReason: ending.stopReason,
    errorCode: ending.error?.code ?? null,
    steps,
    question,
    answer: joinText(pieces),
  };
}

/** The model that wrote the last step, and the agent's own model if that one failed. */
function describeModel(
  models: ModelChain,
  { steps, isCalled }: { steps: readonly TraceStep[]; isCalled: boolean },
): Pick<MessageRow, "model" | "fallbackFrom"> {
  if (!isCalled) return { model: null, fallbackFrom: null };
  const last = steps.findLast(({ kind, name }) => kind === "model" && name === "reply");
  // The chain can have changed over again since then, for the follow-up questions.
  if (last && last.model !== null) return { model: last.model, fallbackFrom: last.fallbackFrom };
  return { model: models.modelId, fallbackFrom: models.fallbackFrom };
}

/** The first failure of a reply that another model has answered, for the list of failures. */
function toChangeoverFailure(agent: AgentRow, { changeovers: [first] }: ModelChain): EndedReply["failure"] {
  if (!first) return null;
  return { organizationId: agent.organizationId, agentId: agent.id, ...describeChangeover(first), isAnswered: 1 };
}

/** The ending shown to the visitor after a failure. The cause is logged. */
function endWithError(error: unknown, log: ReplyLog): ReplyEnding {
  log.warn({ err: error instanceof ModelError ? (error.cause ?? error) : error }, "reply failed");
  if (error instanceof ModelError) return { stopReason: "error", error: { code: error.code, message: error.message } };
  return { stopReason: "error", error: { code: "INTERNAL", message: "Something went wrong while replying." } };
}
