import { AgentAnswersError, isPassedOn } from "../../conversations/log/begin-turn.ts";
import type { ConversationLog } from "../../conversations/log/log.ts";
import type { NewTurn } from "../../conversations/log/turn.ts";
import { isMissingReference } from "../../db/database-errors.ts";
import { notFound } from "../../errors.ts";
import { historyLimits } from "./model-prompt.ts";

/**
 * Stores a visitor's message to a person, which needs neither a model nor a budget.
 * @returns false when the agent has to answer; in this case, nothing is stored
 */
export async function passOn(
  log: Pick<ConversationLog, "begin">,
  turn: Omit<NewTurn, "replyId" | "model" | "agentVersion">,
): Promise<boolean> {
  if (!isPassedOn(turn.conversation, turn)) return false;
  try {
    await log.begin({ ...turn, replyId: null, model: null, agentVersion: null }, historyLimits);
    return true;
  } catch (error) {
    // The conversation went back to the agent in the meantime.
    if (error instanceof AgentAnswersError) return false;
    throw isMissingReference(error) ? notFound("Conversation") : error;
  }
}
