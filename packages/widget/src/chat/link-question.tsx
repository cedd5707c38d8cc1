/** @jsxImportSource preact */
import type { ConversationKey } from "@foyer/sdk";
import type { JSX } from "preact";
import { interpolate } from "../locales/load-messages.ts";
import { usePanel } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { useStore } from "../store.ts";
import { ConversationView } from "./conversation-view.tsx";

/** The conversation, or first the question about the one of a link. */
export function ChatView({ state }: { state: PanelState }): JSX.Element {
  const { chat } = usePanel();
  const { linked } = useStore(state);
  if (!linked) return <ConversationView state={state} />;
  const answer = (opened: ConversationKey | null) => {
    state.patch({ linked: null });
    if (opened) chat.openLinked(opened);
  };
  return <LinkQuestion onOpen={() => answer(linked)} onIgnore={() => answer(null)} />;
}

/**
 * Asks whether to open the conversation of an email's link. Another browser began it, possibly that of someone who wants
 * the visitor to read and to answer it.
 */
function LinkQuestion({ onOpen, onIgnore }: { onOpen: () => void; onIgnore: () => void }): JSX.Element {
  const { core, messages } = usePanel();
  return (
    <div class="scroll">
      <section class="failure" aria-label={messages.openLinked}>
        <p>{interpolate(messages.linkQuestion, { name: core.title, site: location.host })}</p>
        <button type="button" class="quiet main" onClick={onOpen}>
          {messages.openLinked}
        </button>
        <button type="button" class="quiet" onClick={onIgnore}>
          {messages.ignoreLinked}
        </button>
      </section>
    </div>
  );
}
