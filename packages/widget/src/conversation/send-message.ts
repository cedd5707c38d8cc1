import { maxClientTools, maxPageUrlLength } from "@foyer/contract/rules/limits";
import { type ChatRequest, type ConversationKey, type Request, resumeChat, streamChat } from "@foyer/sdk";
import { sendableIdentity } from "../loader/page-values.ts";
import type { VisitorSession } from "../loader/visitor-session.ts";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { ChatEntries } from "./chat-entries.ts";
import type { Consent } from "./consent.ts";
import type { UserEntry } from "./conversation-state.ts";
import { currentPage } from "./current-page.ts";
import { saveOpening } from "./opening.ts";
import type { Reading, ReplyReader } from "./reply-reader.ts";

const TITLE_LENGTH = 80;

/** The two ways to start a reply: follow a running one, or send a message. */
export function createMessageSender(
  core: WidgetCore,
  request: Request,
  { entries, reader, consent }: { entries: ChatEntries; reader: ReplyReader; consent: Consent },
) {
  const { visitor, agent } = core;
  /** The fields of a request besides its messages. The server ignores those that only a new conversation has. */
  const compose = () => {
    const [first] = entries.store.get().entries;
    return {
      agentId: agent.id,
      ...visitorFields(visitor),
      ...consent.field(),
      page: currentPage(core),
      context: visitContext(core),
      triggerId: (first?.type === "reply" && first.triggerId) || null,
    };
  };
  return {
    compose,
    /** Follows a running reply from its beginning. */
    follow(conversation: ConversationKey): void {
      void reader.read({ conversation, open: (options) => resumeChat(request, conversation, options) });
    },
    /**
     * Sends the message whose entry has the key `userKey`. The server stores a message that is sent again under the
     * same key once. Without a key the agent answers the last message again.
     * @returns a promise that resolves when the reply has ended
     */
    ask(
      { text, attachments }: Pick<UserEntry, "text" | "attachments">,
      userKey?: string,
      onRefused?: Reading["onRefused"],
    ): Promise<void> {
      const conversation = visitor.current;
      const body = {
        ...compose(),
        messages: [{ role: "user" as const, content: text }],
        conversationId: conversation?.id ?? null,
        ...(userKey
          ? { messageKey: userKey, attachments: attachments?.map(({ id }) => id) ?? null }
          : { regenerate: true }),
        ...clientTools(core),
      };
      // From now on the bubble's text is stored with the conversation.
      saveOpening(core, null);
      const title = (text || attachments?.[0]?.name || "").replace(/\s+/g, " ").trim().slice(0, TITLE_LENGTH);
      const open = (options: object) => streamChat(request, body, { ...options, token: conversation?.token });
      return reader.read({ conversation, open, title, onRefused, ...(userKey ? { userKey } : {}) });
    },
  };
}

/** The page and referrer of the visit. The server reads them when a conversation starts. */
function visitContext({ options }: WidgetCore) {
  return {
    referrer: (options.sendsPage && String(document.referrer).slice(0, maxPageUrlLength)) || null,
    language: navigator.language,
  };
}

/** The fields of a chat request that identify the visitor. */
function visitorFields(visitor: VisitorSession): Partial<ChatRequest> {
  const { sessionId } = visitor;
  const identity = sendableIdentity(visitor);
  if (!identity) return { sessionId };
  const { userId, userEmail, userName, userHash, userToken, metadata } = identity;
  return {
    sessionId,
    userToken: userToken || null,
    userId: userToken ? null : userId,
    userEmail: userEmail || null,
    userName: userName || null,
    userHash: userHash || null,
    userMetadata: metadata ?? null,
  };
}

/** The tools that this page can run, at most as many as the server accepts. */
function clientTools({ registry }: WidgetCore): Pick<ChatRequest, "clientTools"> {
  return registry.tools.size > 0 ? { clientTools: [...registry.tools.keys()].slice(0, maxClientTools) } : {};
}
