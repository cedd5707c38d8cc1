import type { ChatRequest, ConversationStart } from "@foyer/contract";
import { createConversationToken } from "../../auth/conversation-token.ts";
import { RepeatedStartError } from "../../conversations/log/begin-turn.ts";
import type { ConversationLog } from "../../conversations/log/log.ts";
import { isMissingReference } from "../../db/database-errors.ts";
import type { AgentRow } from "../../db/tables.ts";
import type { Encryption } from "../../encryption.ts";
import { notFound } from "../../errors.ts";
import type { Rollouts } from "../../versions/rollouts.ts";
import type { createAdmission } from "./admission.ts";
import type { createTurnBuilder } from "./build-turn.ts";
import type { Caller } from "./caller.ts";
import { historyLimits } from "./model-prompt.ts";
import { hashMessageKey } from "./repeated-messages.ts";
import { type createStartFinder, hashStartKey } from "./repeated-starts.ts";

type Parts = {
  encryption: Encryption;
  admit: ReturnType<typeof createAdmission>;
  buildTurn: ReturnType<typeof createTurnBuilder>;
  findStart: ReturnType<typeof createStartFinder>;
  conversationLog: Pick<ConversationLog, "begin">;
  rollouts: Pick<Rollouts, "draw">;
};

/**
 * @returns a function that stores the messages of a new conversation without asking a model, so that a visitor can ask
 * for a person while no model can answer. Messages that have begun a conversation before return that one.
 */
export function createConversationStart({ encryption, admit, buildTurn, findStart, conversationLog, rollouts }: Parts) {
  return async (agent: AgentRow, request: ChatRequest, caller: Caller): Promise<ConversationStart> => {
    const admitted = await admit(agent, request, caller.proof);
    const messageKey = request.messageKey ? hashMessageKey(encryption, request.messageKey) : null;
    const storeAs = async (startKey: string | null): Promise<string> => {
      const rolloutId = caller.memberOf === agent.organizationId ? null : rollouts.draw(agent);
      const { turn } = await buildTurn(agent, request, { caller, admitted, startKey, messageKey, rolloutId });
      await conversationLog
        .begin({ ...turn, replyId: null, model: null, agentVersion: null }, historyLimits)
        .catch((error: unknown) => {
          throw isMissingReference(error) ? notFound("Agent") : error;
        });
      return turn.conversation.id;
    };
    const startKey = hashStartKey(encryption, agent, request);
    const conversationId = await storeAs(startKey).catch(async (error: unknown) => {
      if (startKey === null || !(error instanceof RepeatedStartError)) throw error;
      const earlier = await findStart(agent, startKey, admitted.identity.verified);
      return earlier?.id ?? storeAs(null);
    });
    return { conversationId, conversationToken: createConversationToken(encryption, conversationId) };
  };
}
