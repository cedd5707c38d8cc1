/** @jsxImportSource preact */
import type { JSX } from "preact";
import { Icon } from "../panel/icon.tsx";
import { usePanel } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { useStore } from "../store.ts";
import { DeleteConversation } from "./delete-conversation.tsx";

/** The conversations of this visitor in this browser, newest first. */
export function PastConversations({ state }: { state: PanelState }): JSX.Element {
  const { core, chat, messages } = usePanel();
  const { handoff } = useStore(state);
  const onDone = () => state.patch({ view: "chat" });
  const { conversations, current } = core.visitor;
  const date = new Intl.DateTimeFormat(core.locale, { dateStyle: "medium", timeStyle: "short" });
  const go = (action: () => void) => () => {
    action();
    onDone();
  };
  return (
    <div class="scroll">
      <ul class="past">
        <li>
          <button type="button" class="quiet" onClick={go(chat.startNew)}>
            <Icon name="add" />
            {messages.newConversation}
          </button>
        </li>
        {conversations.map(({ id, title, at }) => (
          <li key={id}>
            <button
              type="button"
              class="past-one"
              aria-current={id === current?.id ? "true" : undefined}
              onClick={go(() => chat.select(id))}
            >
              <span class="past-title" dir="auto">
                {title || messages.newConversation}
              </span>
              <time dateTime={new Date(at).toISOString()}>{date.format(at)}</time>
            </button>
          </li>
        ))}
      </ul>
      {handoff || current ? <h3 class="past-settings">{messages.settings}</h3> : null}
      {handoff ? <div ref={handoff.mountSettings} /> : null}
      {current ? <DeleteConversation onDone={onDone} /> : null}
      {conversations.length === 0 ? <p class="note">{messages.noConversations}</p> : null}
    </div>
  );
}
