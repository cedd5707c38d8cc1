import { type ConversationKey, type Request, resumeChat, streamChat } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { ChatEntries } from "./chat-entries.ts";
import { newReply } from "./conversation-state.ts";
import type { ReplyReader } from "./reply-reader.ts";
import { whoSays } from "./visitor-fields.ts";

const TITLE_LENGTH = 80;

/** The two ways in which a reply begins to come in. */
export function createAsking(
  { visit, agent }: WidgetCore,
  request: Request,
  entries: ChatEntries,
  reader: ReplyReader,
) {
  const openedBy = () => {
    const [first] = entries.store.get().entries;
    return first?.type === "reply" && first.triggerId !== undefined ? { triggerId: first.triggerId } : {};
  };
  return {
    /** Follows a reply that runs already, from its beginning. */
    follow(conversation: ConversationKey): void {
      const key = entries.newKey();
      entries.add(newReply(key));
      void reader.read({ key, conversation, open: (options) => resumeChat(request, conversation, options) });
    },
    /** Sends a message, which stands under `userKey`; without one the last message is to be answered once more. */
    ask(content: string, userKey?: string): void {
      const key = entries.newKey();
      const conversation = visit.current;
      entries.add(newReply(key));
      const body = {
        agentId: agent.id,
        messages: [{ role: "user" as const, content }],
        ...whoSays(visit),
        ...(conversation ? { conversationId: conversation.id } : {}),
        ...(userKey ? {} : { regenerate: true }),
        ...(conversation ? {} : { context: visitContext(), ...openedBy() }),
      };
      const title = content.replace(/\s+/g, " ").trim().slice(0, TITLE_LENGTH);
      const open = (options: object) => streamChat(request, body, { ...options, token: conversation?.token });
      void reader.read({ key, conversation, open, title, ...(userKey ? { userKey } : {}) });
    },
  };
}

/** Where the visitor is; the server looks at it when a conversation begins. */
function visitContext() {
  const { href } = location;
  return {
    page: href.slice(0, 2_000),
    referrer: document.referrer.slice(0, 2_000) || null,
    language: navigator.language,
  };
}
