/** @jsxImportSource preact */
import type { JSX } from "preact";
import { focusPanel } from "../panel/focus.ts";
import { Icon } from "../panel/icon.tsx";
import { usePanel } from "../panel/panel-context.ts";

type Props = {
  suggestions: readonly string[];
  /** Whether each has its own line, as before the first message. */
  isRows?: boolean;
};

/** Buttons that send their text as the visitor's message. */
export function SuggestionList({ suggestions, isRows }: Props): JSX.Element | null {
  const { chat, messages } = usePanel();
  if (suggestions.length === 0) return null;
  const send = (button: HTMLElement, text: string) => {
    // The list is removed together with the message, in which case the focus would move to the page.
    focusPanel(button.closest<HTMLElement>(".panel"));
    void chat.send(text);
  };
  return (
    <ul class={isRows ? "suggestions rows" : "suggestions"} aria-label={messages.suggestions}>
      {suggestions.map((suggestion) => (
        <li key={suggestion}>
          <button
            type="button"
            class="quiet"
            part="suggestion"
            dir="auto"
            onClick={({ currentTarget }) => send(currentTarget, suggestion)}
          >
            {suggestion}
            {isRows ? <Icon name="next" /> : null}
          </button>
        </li>
      ))}
    </ul>
  );
}
