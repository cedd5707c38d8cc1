/** @jsxImportSource preact */
import type { JSX, RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { interpolate } from "../locales/load-messages.ts";
import { focusPanel } from "../panel/focus.ts";
import { Icon } from "../panel/icon.tsx";
import { isComposing } from "../panel/keys.ts";
import { usePanel } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { sendDraft } from "../panel/send-draft.ts";
import { useStore } from "../store.ts";
import { AttachmentPlace } from "./attachment-place.tsx";

/** The server's limit. */
const MAX_CHARACTERS = 32_000;

/** The message field. Enter or the button sends; while a reply streams in, the button stops it instead. */
export function Composer({ state }: { state: PanelState }): JSX.Element {
  const { core, chat, messages } = usePanel();
  const isBusy = useStore(chat.store).running !== null;
  const { draft, attached, isUploading } = useStore(state);
  const field = useRef<HTMLTextAreaElement>(null);
  const stop = useRef<HTMLButtonElement>(null);
  const moveFocus = () => focusPanel(field.current?.closest<HTMLElement>(".panel"));
  const tooMany = countExcess(draft);
  const cannotSend = (text: string) =>
    isUploading || (text.trim() === "" && attached.length === 0) || countExcess(text) > 0;

  useLayoutEffect(() => {
    if (field.current && !CSS.supports("field-sizing", "content")) grow(field.current);
  }, [draft]);

  // The send button that replaces a focused stop button may be disabled, in which case the focus would move to the
  // page.
  const isStopFocused = stop.current?.matches(":focus") ?? false;
  useLayoutEffect(() => {
    if (!isBusy && isStopFocused) moveFocus();
  }, [isBusy]);

  const send = () => {
    // Read the text from the field, because the last letters may not have been rendered yet.
    const text = field.current?.value ?? "";
    // A message written during a reply can be sent once the reply has ended.
    if (isBusy || cannotSend(text)) return;
    state.patch({ draft: text });
    sendDraft(chat, state);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      class="composer"
      part="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {tooMany > 0 ? (
        <p class="note" role="alert">
          {interpolate(messages.tooLong, { count: tooMany })}
        </p>
      ) : null}
      <div class="writing">
        <AttachmentPlace />
        <textarea
          ref={field}
          rows={1}
          // Finding the direction of a long text takes browsers seconds.
          dir={draft === "" || draft.length > MAX_CHARACTERS ? undefined : "auto"}
          value={draft}
          placeholder={messages.writeMessage}
          aria-label={`${messages.writeMessage}. ${core.agent.name}`}
          aria-description={messages.keyboardHint}
          autocomplete="off"
          enterkeyhint="send"
          onInput={(event) => {
            // Otherwise, a chat that a script has opened would not keep the words for the next page.
            core.bus.emit("interaction");
            state.patch({ draft: event.currentTarget.value });
          }}
          onKeyDown={onKeyDown}
        />
        {isBusy ? (
          <StopButton button={stop} onFocusLost={moveFocus} />
        ) : (
          <button
            type="submit"
            class="send"
            part="send"
            aria-label={messages.send}
            title={messages.send}
            disabled={cannotSend(draft)}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}

type StopProps = { button: RefObject<HTMLButtonElement | null>; onFocusLost: () => void };

function StopButton({ button, onFocusLost }: StopProps): JSX.Element {
  const { chat, messages } = usePanel();
  const stop = () => {
    // The button disappears as soon as the reply has stopped.
    onFocusLost();
    void chat.stop();
  };
  return (
    <button ref={button} type="button" class="stop" aria-label={messages.stop} title={messages.stop} onClick={stop}>
      <Icon name="stop" />
    </button>
  );
}

/** Returns the number of characters by which a text exceeds the limit. An emoji counts as one character. */
function countExcess(text: string) {
  return text.length > MAX_CHARACTERS ? Math.max(0, [...text].length - MAX_CHARACTERS) : 0;
}

/**
 * For browsers without `field-sizing`. It sets `rows` because a Content Security Policy may refuse style attributes.
 */
function grow(field: HTMLTextAreaElement) {
  field.rows = 1;
  const line = Number.parseFloat(getComputedStyle(field).lineHeight) || 24;
  field.rows = Math.min(6, Math.max(1, Math.round((field.scrollHeight - 16) / line)));
}
