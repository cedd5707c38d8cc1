/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { interpolate } from "../locales/load-messages.ts";
import { Icon } from "../panel/icon.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useStore } from "./store.ts";

/** As long as the server takes. */
const MOST_CHARACTERS = 32_000;

/** The place to write: Enter or the button sends; while a reply comes in the button stops it instead. */
export function Composer({ draft, onDraft }: { draft: string; onDraft: (text: string) => void }): JSX.Element {
  const { core, chat, words } = usePanel();
  const isBusy = useStore(chat.store).running !== null;
  const field = useRef<HTMLTextAreaElement>(null);
  const tooMany = lengthOver(draft);

  useLayoutEffect(() => {
    if (field.current && !CSS.supports("field-sizing", "content")) grow(field.current);
  }, [draft]);

  const send = () => {
    // What is there now: the last letters may not have been drawn yet.
    const text = field.current?.value ?? "";
    // What is written during a reply waits for its end.
    if (isBusy || text.trim() === "" || lengthOver(text) > 0) return;
    onDraft("");
    void chat.say(text.trim());
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
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
          {interpolate(words.tooLong, { count: tooMany })}
        </p>
      ) : null}
      <div class="writing">
        <textarea
          ref={field}
          rows={1}
          dir={draft === "" ? undefined : "auto"}
          value={draft}
          placeholder={words.write}
          aria-label={`${words.write}. ${core.agent.name}`}
          aria-description={words.keys}
          autocomplete="off"
          enterkeyhint="send"
          onInput={(event) => onDraft(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {isBusy ? (
          <button
            type="button"
            class="stop"
            aria-label={words.stop}
            title={words.stop}
            onClick={() => void chat.stop()}
          >
            <Icon name="stop" />
          </button>
        ) : (
          <button
            type="submit"
            class="send"
            part="send"
            aria-label={words.send}
            title={words.send}
            disabled={draft.trim() === "" || tooMany > 0}
          >
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}

/** By how many characters a text is too long; an emoji is one. */
function lengthOver(text: string) {
  return text.length > MOST_CHARACTERS ? Math.max(0, [...text].length - MOST_CHARACTERS) : 0;
}

/** For browsers that cannot do it by themselves; `rows`, because style attributes may be refused. */
function grow(field: HTMLTextAreaElement) {
  field.rows = 1;
  const line = Number.parseFloat(getComputedStyle(field).lineHeight) || 24;
  field.rows = Math.min(6, Math.max(1, Math.round((field.scrollHeight - 16) / line)));
}
