import type { ChatRequest } from "@foyer/contract";
import type { AgentService } from "../agents/agent-service.ts";
import { conversationToken } from "../auth/conversation-token.ts";
import type { ConversationService } from "../conversations/conversation-service.ts";
import type { Viewer } from "../conversations/conversation-store.ts";
import { isMissingReference } from "../db/database-errors.ts";
import type { AgentRow, ConversationRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import { createTokenBudgets } from "../plans/token-budget.ts";
import type { AgentTools } from "../tools/agent-tools.ts";
import { budgetOwner, newMessages, titleOf, type Visitor, visitorOf } from "./chat-turn.ts";
import { HISTORY_MESSAGES, type Note, toPrompt } from "./model-prompt.ts";
import { createReplyStore } from "./reply-store.ts";
import { createReplyRunner, type ReplyLog } from "./run-reply.ts";
import { createRunningReplies } from "./running-replies.ts";
import { createRunningReply, type RunningReply } from "./running-reply.ts";

/** What is known of a call to the chat besides its body. `ip` is null where limits by address do not apply. */
export type Caller = { ip: string | null; origin: string | undefined; log: ReplyLog };

export type ChatService = ReturnType<typeof createChatService>;

export function createChatService(
  deps: Deps,
  agents: AgentService,
  conversations: ConversationService,
  toolsOf: (agentId: string) => Promise<AgentTools>,
  notesOf: (agentId: string, conversationId: string) => Promise<Note[]>,
) {
  const { config, secrets, models } = deps;
  const budgets = createTokenBudgets(deps);
  const store = createReplyStore(deps.db, budgets.count);
  const replies = createRunningReplies(store, deps.log, config.limits, deps.databaseKind === "postgres");
  const run = createReplyRunner(config.models, store, replies);
  const ownOrigin = new URL(config.baseUrl).origin;

  return {
    replies,
    store,
    /** The agent of a chat, when this caller may use it. */
    async agentFor(agentId: string, { ip, origin }: Caller): Promise<AgentRow> {
      replies.checkRoom(ip);
      const agent = await agents.getPublic(agentId);
      agents.checkOrigin(agent, origin, ownOrigin);
      return agent;
    },
    /**
     * Keeps what the visitor says and begins the reply, which goes on by itself.
     * @throws AppError for everything that can be known without asking the model
     */
    async start(agent: AgentRow, request: ChatRequest, caller: Caller): Promise<RunningReply> {
      const secret = agent.requireIdentity ? secrets.open(agent.identitySecret, agent.id) : null;
      const visitor = visitorOf(request, secret);
      const known = request.conversationId
        ? await conversations.existing({ organizationId: agent.organizationId }, request.conversationId)
        : null;
      if (known && known.agentId !== agent.id) throw notFound("Conversation");
      const messages = newMessages(request, known === null).map((message) => ({ ...message, id: newId("msg") }));
      const tools = await toolsOf(agent.id);
      const model = await models.choose(agent, { isNewConversation: known === null });
      const conversation = known ?? newConversation(agent, request, visitor, titleOf(messages));
      const reply = createRunningReply(
        {
          conversationId: conversation.id,
          messageId: newId("msg"),
          conversationToken: conversationToken(secrets, conversation.id),
        },
        { resumable: request.resumable === true, resumeWindow: config.resumeWindow },
      );
      await replies.add(reply, caller.ip);
      try {
        const owner = budgetOwner(visitor, secret !== null, request.sessionId, caller.ip);
        const spender = budgets.visitorKey(owner);
        const refusal = await budgets.refusal(agent, spender);
        const asked = refusal === null ? model.modelId : null;
        const turn = { conversation, isNew: known === null, messages, replyId: reply.messageId, model: asked };
        const regenerate = request.regenerate === true;
        // Nothing may fail between the turn's being kept and its reply.
        const notes = known ? await notesOf(agent.id, known.id) : [];
        const history = await store.begin({ ...turn, regenerate }, HISTORY_MESSAGES);
        replies.kept(reply);
        const prompt = toPrompt(agent.systemPrompt, history, notes);
        void run(reply, { agent, model, prompt, tools, log: caller.log, visitor: spender, refusal });
        return reply;
      } catch (error) {
        replies.remove(reply);
        reply.end({ stopReason: "error" });
        throw isMissingReference(error) ? notFound("Conversation") : error;
      }
    },
    /** Ends the running reply of the conversation, wherever it runs. */
    async stop(viewer: Viewer, conversationId: string): Promise<void> {
      await conversations.existing(viewer, conversationId);
      const reply = replies.get(conversationId);
      if (!reply) return store.requestStop(conversationId);
      reply.abort();
      await reply.done;
    },
  };
}

function newConversation(agent: AgentRow, request: ChatRequest, visitor: Visitor, title: string): ConversationRow {
  const now = Date.now();
  return {
    ...visitor,
    ...{ id: newId("conv"), organizationId: agent.organizationId, agentId: agent.id, title, messageCount: 0 },
    ...{ sessionId: request.sessionId ?? null, createdAt: now, updatedAt: now },
  };
}
