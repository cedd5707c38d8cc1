import type { ChatRequest, MessagePage } from "@foyer/contract";
import { withDraft } from "../agents/draft-columns.ts";
import { createVisitorNote } from "../agents/identity/tell-model.ts";
import type { AgentService } from "../agents/service.ts";
import { createConversationToken } from "../auth/conversation-token.ts";
import type { AttachmentService } from "../conversations/attachments/service.ts";
import { RepeatedStartError } from "../conversations/log/begin-turn.ts";
import type { ConversationLog } from "../conversations/log/log.ts";
import type { HistoryRow } from "../conversations/log/queries.ts";
import type { ConversationService } from "../conversations/service.ts";
import type { Viewer } from "../conversations/store.ts";
import { isMissingReference } from "../db/database-errors.ts";
import type { AgentRow, ConversationRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import type { ReplyDocuments } from "../documents/search-tool.ts";
import { notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { createTokenBudgets, type TokenBudgets } from "../plans/token-budget.ts";
import type { AgentTools, ToolSource } from "../tools/agent-tools.ts";
import type { TurnContext } from "../tools/turn-context.ts";
import type { Rollouts } from "../versions/rollouts.ts";
import { createClientToolCalls } from "./client-tools/calls.ts";
import type { ReplyTool } from "./loop/reply-tool.ts";
import type { ReplyStore } from "./reply-store.ts";
import { startCheckpoints } from "./running/checkpoints.ts";
import { createHandOver } from "./running/hand-over.ts";
import { createReplyRunner } from "./running/run-reply.ts";
import type { RunningReplies } from "./running/running-replies.ts";
import { createRunningReply, type RunningReply } from "./running/running-reply.ts";
import { type Admitted, createAdmission, type Identity } from "./turn/admission.ts";
import { createAttachmentParts, type SentAttachment } from "./turn/attachment-parts.ts";
import { createConversationStart } from "./turn/begin-conversation.ts";
import { createTurnBuilder, type TurnOrigin } from "./turn/build-turn.ts";
import type { Caller } from "./turn/caller.ts";
import type { ChatBytes } from "./turn/chat-bytes.ts";
import { type AttachmentLoader, createAttachmentLoader } from "./turn/load-attachments.ts";
import { historyLimits, listEarlierPassages, toPrompt } from "./turn/model-prompt.ts";
import { budgetOwner } from "./turn/new-messages.ts";
import { passOn } from "./turn/pass-on.ts";
import type { Note } from "./turn/prompt-notes.ts";
import { type Answer, createRepeatedMessages, hashMessageKey, toFollowable } from "./turn/repeated-messages.ts";
import { createStartFinder, hashStartKey } from "./turn/repeated-starts.ts";

/** Provides content that other modules contribute to a reply. */
type Sources = {
  toolsOf(agent: AgentRow, context: TurnContext, options: { source: ToolSource }): Promise<AgentTools>;
  /**
   * the agent's documents, or null when it has none; `mustSearch` searches them even when they would fit into the
   * prompt
   */
  documentsOf(agent: AgentRow, options: { mustSearch: boolean }): Promise<ReplyDocuments | null>;
  /** notes on what happened outside the chat */
  notesOf(agentId: string, conversationId: string): Promise<Note[]>;
  /** the message of an enabled bubble trigger, or null */
  openingOf(agentId: string, triggerId: string): Promise<string | null>;
  /** the tool that the model calls to ask for a person, or null when it cannot */
  humanToolOf(agent: AgentRow, conversation: ConversationRow): Promise<ReplyTool | null>;
  /** what the model should know about the conversation's requests for a person */
  handoffNotesOf(conversation: ConversationRow): Promise<Note[]>;
};

export type ChatService = ReturnType<typeof createChatService>;

type Parts = {
  agents: AgentService;
  conversations: ConversationService;
  conversationLog: ConversationLog;
  store: ReplyStore;
  replies: RunningReplies;
  bytes: ChatBytes;
  attachments: AttachmentService;
  rollouts: Rollouts;
};

export function createChatService(deps: Deps, parts: Parts, sources: Sources) {
  const { config, encryption } = deps;
  const { agents, conversations, conversationLog, store, replies, bytes, attachments, rollouts } = parts;
  const budgets = createTokenBudgets(deps);
  const isShared = deps.databaseKind === "postgres";
  const progress = { stopRequested: store.stopRequested, checkpoint: conversationLog.checkpoint };
  const stopSaving = startCheckpoints(progress, { log: deps.log, isShared, tracked: replies.listKept });
  const toolCalls = createClientToolCalls(deps);
  const run = createReplyRunner(config.models, {
    conversationLog,
    replies,
    clientTools: toolCalls,
    priceSteps: deps.prices.priceSteps,
    telemetry: deps.telemetry,
  });
  const ownOrigin = new URL(config.baseUrl).origin;
  const admit = createAdmission(encryption, conversations);
  const once = createRepeatedMessages({ store, replies });
  const buildTurn = createTurnBuilder({ bytes, openingOf: sources.openingOf, attachmentsOf: attachments.resolve });
  const begin = createBeginning(deps, sources, {
    attachmentsOf: createAttachmentLoader(attachments, config.limits.modelFileBytesPerIp),
    budgets,
    buildTurn,
    conversationLog,
    replies,
    run,
  });
  const findStart = createStartFinder({ encryption, conversations, store });

  return {
    replies,
    store,
    clientTools: toolCalls,
    handOver: createHandOver(deps, conversationLog, replies),
    /** See `toFollowable`. */
    toFollowable: (answer: Answer, log: Caller["log"]) => toFollowable(store, answer, log),
    /** The agent, if this caller may use it. */
    async agentFor(agentId: string, { origin }: Pick<Caller, "origin">): Promise<AgentRow> {
      const agent = await agents.getPublic(agentId);
      agents.checkOrigin(agent, origin, ownOrigin);
      return agent;
    },
    /** See `createConversationStart`. */
    begin: createConversationStart({ encryption, admit, buildTurn, findStart, conversationLog, rollouts }),
    /**
     * Stores the visitor's message and starts the reply, which continues in the background. A message that was sent
     * before is answered with the same reply. The request has passed `checkChatRequest`.
     * @throws AppError for every problem that is known before the model is called
     */
    async start(requested: AgentRow, request: ChatRequest, caller: Caller): Promise<Answer> {
      const admitted = await admit(requested, request, caller.proof);
      const { conversation, access, identity } = admitted;
      const { agent, rolloutId } = isTest(requested, caller)
        ? { agent: withDraft(requested), rolloutId: null }
        : await rollouts.choose(await agents.use(requested), conversation);
      const messageKey = request.messageKey ? hashMessageKey(encryption, request.messageKey) : null;
      const startAs = (startKey: string | null) =>
        begin(agent, request, { caller, admitted, startKey, messageKey, rolloutId });
      const start = () => startAs(null);
      const startOnce = (conversationId: string, hasToken: boolean) => {
        if (messageKey === null || request.regenerate) return start();
        const place = { agentId: agent.id, conversationId, hasToken };
        const sent = { conversationId, messageKey, content: request.messages.at(-1)?.content ?? "", log: caller.log };
        const noReply = () => endHandedOver(createReply(deps, request, place));
        return once({ ...sent, conversationToken: createToken(deps, place) }, { start, noReply });
      };
      if (conversation) return startOnce(conversation.id, mayHaveToken(access));
      const startKey = hashStartKey(encryption, agent, request);
      return startAs(startKey).catch(async (error: unknown) => {
        if (startKey === null || !(error instanceof RepeatedStartError)) throw error;
        const earlier = await findStart(agent, startKey, identity.verified);
        return earlier ? startOnce(earlier.id, true) : start();
      });
    },
    /** Stops the running reply of the conversation, in any process. */
    async stop(viewer: Viewer, conversationId: string): Promise<void> {
      await conversations.existing(viewer, conversationId);
      await stopReply(conversationId, { replies, conversationLog });
    },
    /** Accepts no new replies, waits up to `timeout` milliseconds for running ones, and then aborts them. */
    async drain(timeout: number): Promise<void> {
      await replies.drain(timeout);
      await stopSaving();
    },
  };
}

type Beginning = {
  attachmentsOf: AttachmentLoader;
  budgets: TokenBudgets;
  buildTurn: ReturnType<typeof createTurnBuilder>;
  conversationLog: ConversationLog;
  replies: RunningReplies;
  run: ReturnType<typeof createReplyRunner>;
};

/** @returns a function that stores a new message and starts the reply to it */
function createBeginning(deps: Deps, sources: Sources, parts: Beginning) {
  const { models } = deps;
  const { attachmentsOf, budgets, buildTurn, conversationLog, replies, run } = parts;
  const { toolsOf, documentsOf, notesOf, humanToolOf, handoffNotesOf } = sources;
  return async (agent: AgentRow, request: ChatRequest, origin: TurnOrigin): Promise<RunningReply> => {
    const { caller, admitted } = origin;
    const { conversation: existing, access, identity } = admitted;
    const hasToken = mayHaveToken(access);
    const { page, turn } = await buildTurn(agent, request, origin);
    const { conversation } = turn;
    if (existing && (await passOn(conversationLog, turn))) {
      return endHandedOver(createReply(deps, request, { agentId: agent.id, conversationId: existing.id, hasToken }));
    }
    const chain = await models.choose(agent, { isNewConversation: !existing, isVisitor: isVisitor(agent, caller) });
    const { model } = chain;
    // The demo model quotes search results, because it cannot read a prompt.
    const documents = await documentsOf(agent, { mustSearch: model.source === null });
    const isDraft = isTest(agent, caller) && agent.publishing === "manual";
    const source = isDraft ? "draft" : origin.rolloutId === null ? "live" : "rollout";
    const tools = await toolsOf(agent, createTurn(request, admitted, { id: conversation.id, page }), { source });
    const reply = createReply(deps, request, { agentId: agent.id, conversationId: conversation.id, hasToken });
    await replies.add(reply, { owner: agent.organizationId, address: caller.ip }, { mayReplace: turn.mayReplaceReply });
    try {
      const organizationId = model.isOperatorPaid ? agent.organizationId : null;
      const usageOwner = budgets.usageOwnerOf({ ...findBudgetVisitor(request, identity, caller), organizationId });
      const refusal = await budgets.refusal(agent, usageOwner);
      // Load these first: nothing may fail between storing the turn and starting its reply.
      const notes = existing ? await collectNotes(existing, { notesOf, handoffNotesOf }) : [];
      const humanTool = await humanToolOf(agent, conversation);
      const attached = await attachmentsOf(existing?.id ?? null, turn.messages, caller.ip);
      const since = performance.now();
      const begun = await conversationLog.begin(
        {
          ...turn,
          // A refused request stores no history, which no model reads.
          messages: refusal === null ? turn.messages : turn.messages.slice(-1),
          replyId: reply.messageId,
          model: refusal === null ? chain.modelId : null,
          agentVersion: isTest(agent, caller) ? null : agent.liveVersion,
        },
        historyLimits,
      );
      if (begun.isPassedOn) {
        replies.remove(reply);
        return endHandedOver(reply);
      }
      replies.kept(reply, since);
      reply.room.limit(begun.room);
      void run(reply, {
        agent,
        models: chain,
        ...createPrompt(agent, documents, {
          modelId: chain.modelId,
          history: begun.history,
          notes,
          identity,
          attached,
        }),
        pageOrigin: caller.origin,
        tools,
        documents,
        humanTool,
        log: caller.log,
        usageOwner,
        refusal,
        isTest: conversation.isTest === 1,
        epoch: begun.epoch,
      });
      return reply;
    } catch (error) {
      replies.remove(reply);
      reply.end({ stopReason: "error" });
      throw isMissingReference(error) ? notFound("Conversation") : error;
    }
  };
}

async function stopReply(
  conversationId: string,
  { replies, conversationLog }: { replies: RunningReplies; conversationLog: Pick<ConversationLog, "requestStop"> },
): Promise<void> {
  const reply = replies.get(conversationId);
  if (!reply) return conversationLog.requestStop(conversationId);
  reply.abort();
  await reply.done;
}

async function collectNotes(
  conversation: ConversationRow,
  { notesOf, handoffNotesOf }: Pick<Sources, "notesOf" | "handoffNotesOf">,
): Promise<Note[]> {
  const { id, agentId } = conversation;
  return [...(await notesOf(agentId, id)), ...(await handoffNotesOf(conversation))];
}

/** Ends a reply that never begins, because a person has the conversation. */
function endHandedOver(reply: RunningReply): RunningReply {
  reply.end({ stopReason: "handed_over" });
  return reply;
}

/** The visitor whose daily budgets the reply counts towards. */
function findBudgetVisitor({ sessionId }: ChatRequest, { visitor, verified }: Identity, { ip }: Caller) {
  return { visitor: budgetOwner(visitor, { isProved: verified !== null, sessionId, ip }), ip };
}

function createTurn(
  { clientTools }: ChatRequest,
  { identity, mayUsePageTools }: Admitted,
  { id, page }: { id: string; page: MessagePage | null },
): TurnContext {
  const usableTools = mayUsePageTools ? (clientTools ?? []) : [];
  return { visitor: identity.verified, conversation: { id }, page, clientTools: usableTools };
}

type ReplyPlace = { agentId: string; conversationId: string; hasToken: boolean };

/**
 * Whether a request receives the conversation's token. A conversation that is open to everyone has none, and the holder
 * of an email's link does not get a token that outlives the link.
 */
const mayHaveToken = (access: Admitted["access"]) => access !== "open" && access !== "link";

function createToken({ encryption }: Deps, { conversationId, hasToken }: ReplyPlace): string | null {
  return hasToken ? createConversationToken(encryption, conversationId) : null;
}

function createReply(deps: Deps, request: ChatRequest, place: ReplyPlace): RunningReply {
  const { config, databaseKind } = deps;
  const { agentId, conversationId } = place;
  const token = createToken(deps, place);
  return createRunningReply(
    { conversationId, messageId: newId("msg"), conversationToken: token },
    {
      agentId,
      sessionId: request.sessionId ?? null,
      resumable: request.resumable === true,
      resumeWindow: config.resumeWindow,
      isShared: databaseKind === "postgres",
    },
  );
}

/** Whether a member tries the agent, such as in the playground. */
const isTest = (agent: AgentRow, { memberOf }: Caller) => memberOf === agent.organizationId;

const isVisitor = (agent: AgentRow, { proof }: Caller) => proof.organizationId !== agent.organizationId;

/**
 * The prompt, what is stored of it, and the visitor's last message. A regenerated reply adds no message, so it is read
 * from the history.
 */
function createPrompt(
  agent: AgentRow,
  documents: ReplyDocuments | null,
  given: {
    modelId: string;
    history: HistoryRow[];
    notes: Note[];
    identity: Identity;
    attached: readonly SentAttachment[];
  },
) {
  const { systemPrompt } = agent;
  const { modelId, history, notes, identity, attached } = given;
  const partsOf = createAttachmentParts(attached);
  const reference = documents?.kind === "prefix" ? documents.text : null;
  if (documents?.kind === "search") documents.continueFrom(listEarlierPassages(history));
  const allNotes = [...notes, ...createVisitorNotes(agent, identity)];
  const { prompt, state } = toPrompt({ systemPrompt, reference, modelId, partsOf }, history, allNotes);
  return {
    prompt,
    promptState: JSON.stringify(state),
    question: history.findLast(({ role }) => role === "user")?.content ?? "",
  };
}

/** Creates the note, for the newest message, with the facts that the model may know about this turn's visitor. */
function createVisitorNotes({ tellModel }: AgentRow, { verified }: Identity): Note[] {
  const text = createVisitorNote(tellModel, verified);
  return text === null ? [] : [{ id: "visitor", createdAt: Number.POSITIVE_INFINITY, text }];
}
