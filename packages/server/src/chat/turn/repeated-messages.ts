import { RepeatedMessageError } from "../../conversations/log/begin-turn.ts";
import type { MessageKey } from "../../conversations/log/queries.ts";
import type { MessageRow } from "../../db/tables.ts";
import type { Encryption } from "../../encryption.ts";
import { AppError, notFound } from "../../errors.ts";
import type { EventReader } from "../../http/sse.ts";
import type { ReplyStore } from "../reply-store.ts";
import type { ReplyLog } from "../running/run-reply.ts";
import type { RunningReplies } from "../running/running-replies.ts";
import type { RunningReply } from "../running/running-reply.ts";
import { followStored } from "../stream/follow-reply.ts";

/** The answer to a message: a running reply or a stored one. `follow` returns a function that stops following. */
export type Answer =
  | { follow(reader: EventReader, position: number): () => void }
  | Pick<RunningReply, "follow" | "isInterrupted" | "conversationId" | "messageId" | "conversationToken">;

/**
 * Returns the key in the form in which the database stores it. It is an HMAC, because the key of a first message grants
 * access to its conversation like a token (see repeated-starts.ts), and the session id is stored beside it.
 */
export function hashMessageKey(encryption: Pick<Encryption, "sign">, messageKey: string): string {
  return encryption.sign("message-key", messageKey);
}

/** `messageKey` is the stored key. */
type Sent = MessageKey & {
  content: string;
  conversationToken: string | null;
  log: ReplyLog;
};

/**
 * Recognizes messages that a client sends again, by their `messageKey`, so that each is stored once. A client does this
 * when it has lost the connection and does not know whether the message arrived.
 */
export function createRepeatedMessages({ store, replies }: { store: ReplyStore; replies: RunningReplies }) {
  const starting = new Map<string, Promise<unknown>>();

  /** @returns null when the message is new */
  async function answerTo(sent: Sent, noReply: () => Answer): Promise<Answer | null> {
    const { conversationId, messageKey, content, conversationToken, log } = sent;
    const stored = await store.sentMessage({ conversationId, messageKey });
    if (!stored) return null;
    if (stored.content !== content) {
      throw new AppError("CONFLICT", "This messageKey was already used for a different message. Use a new key.");
    }
    const { reply } = stored;
    if (!reply) return noReply();
    const running = replies.get(conversationId);
    // The running reply sends its readers the conversation's token if its own request had one. A request that only
    // knows the conversation's id must not receive the token, so it reads the stored reply.
    if (running?.messageId === reply.id && running.conversationToken === conversationToken) {
      await replies.confirm(running);
      return running;
    }
    return answerFromStore(store, reply, { conversationToken, log });
  }

  /**
   * Answers a repeated message with the reply to the first one, from its beginning. For a new message, calls `start`.
   * If a repeated message has no reply because a person had the conversation, calls `noReply`.
   * @throws 409 when the key belongs to a different message
   */
  return async (sent: Sent, { start, noReply }: { start: () => Promise<Answer>; noReply: () => Answer }) => {
    const id = `${sent.conversationId} ${sent.messageKey}`;
    // Without this, the repeated request would stop the reply to the first request, which may not be stored yet. If the
    // first request runs in another process, the transaction that stores the message finds it.
    while (starting.has(id)) await starting.get(id);
    const turn = Promise.withResolvers<void>();
    starting.set(id, turn.promise);
    try {
      const earlier = await answerTo(sent, noReply);
      if (earlier) return earlier;
      return await start().catch(async (error) => {
        if (!(error instanceof RepeatedMessageError)) throw error;
        const meanwhile = await answerTo(sent, noReply);
        if (!meanwhile) throw notFound("Conversation");
        return meanwhile;
      });
    } finally {
      starting.delete(id);
      turn.resolve();
    }
  };
}

/**
 * Returns an answer that can be followed: the stored reply if the running one is interrupted, for example because the
 * database took so long to store it that another process may have taken the conversation over.
 */
export async function toFollowable(
  store: Pick<ReplyStore, "latestReply">,
  answer: Answer,
  log: ReplyLog,
): Promise<Answer> {
  if (!("isInterrupted" in answer) || !answer.isInterrupted) return answer;
  const row = await store.latestReply(answer.conversationId);
  if (row?.id !== answer.messageId) return answer;
  return answerFromStore(store, row, { conversationToken: answer.conversationToken, log });
}

/** Answers with the stored reply from its beginning, and continues while it runs. */
function answerFromStore(
  store: Pick<ReplyStore, "latestReply">,
  reply: MessageRow,
  { conversationToken, log }: Pick<Sent, "conversationToken" | "log">,
): Answer {
  const follow = followStored(store, reply, { conversationToken, lastEventId: undefined });
  return {
    follow: (reader) =>
      follow(reader, (error) => {
        log.warn({ err: error }, "following a reply failed");
        reader.end();
      }),
  };
}
