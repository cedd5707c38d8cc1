import type { WidgetCore } from "../loader/widget-core.ts";
import type { UserEntry } from "./conversation-state.ts";

type Unsent = { conversationId: string | null; message: UserEntry };
type Stored = { session: string; userId: string | undefined; draft: string; messages: Unsent[] };

export type UnsentMessages = ReturnType<typeof createUnsentMessages>;

const MAX_MESSAGES = 20;

/**
 * Keeps what the visitor has written for this tab, until the server has it: the text in the field, and messages that were
 * sent without a response. It belongs to one visitor. What an anonymous visitor has written stays when they are identified.
 */
export function createUnsentMessages({ storage, visitor }: WidgetCore) {
  function read(): Stored {
    const session = visitor.sessionId;
    const userId = visitor.identity?.userId;
    const stored = storage.read("session", "unsent") as Partial<Stored> | null;
    const isOwn = stored?.session === session && (stored.userId === undefined || stored.userId === userId);
    const { draft, messages } = isOwn ? stored : {};
    return {
      session,
      userId,
      draft: typeof draft === "string" ? draft : "",
      messages: Array.isArray(messages) ? messages.filter((one) => one?.message?.type === "user") : [],
    };
  }
  const write = (changes: Partial<Stored>) => {
    const next = { ...read(), ...changes };
    storage.write("session", "unsent", next.draft || next.messages.length > 0 ? next : null);
  };

  return {
    draft: (): string => read().draft,
    keepDraft: (draft: string): void => write({ draft }),
    add: (conversationId: string | null, message: UserEntry): void =>
      write({ messages: [...read().messages, { conversationId, message }].slice(-MAX_MESSAGES) }),
    /** The server has the message, or it is back in the field. */
    remove(key: string | undefined): void {
      const { messages } = read();
      if (messages.some(({ message }) => message.key === key))
        write({ messages: messages.filter(({ message }) => message.key !== key) });
    },
    /** The messages of a conversation, and those of none that still exists: they wait in the current one. */
    list(conversationId: string | null): UserEntry[] {
      const others = visitor.conversations.filter(({ id }) => id !== conversationId);
      return read()
        .messages.filter((one) => !others.some(({ id }) => id === one.conversationId))
        .map(({ message }) => message);
    },
  };
}
