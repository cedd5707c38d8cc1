/** @jsxImportSource preact */
import type { JSX } from "preact";
import { focusPanel } from "../panel/focus.ts";
import { usePanel } from "../panel/panel-context.ts";

/** Buttons that send their text as the visitor's message. */
export function SuggestionList({ suggestions }: { suggestions: readonly string[] }): JSX.Element | null {
  const { chat, messages } = usePanel();
  if (suggestions.length === 0) return null;
  const send = (button: HTMLElement, text: string) => {
    // The list is removed together with the message, in which case the focus would move to the page.
    focusPanel(button.closest<HTMLElement>(".panel"));
    void chat.send(text);
  };
  return (
    <ul class="suggestions" aria-label={messages.suggestions}>
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
          </button>
        </li>
      ))}
    </ul>
  );
}
