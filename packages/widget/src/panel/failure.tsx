/** @jsxImportSource preact */
import type { JSX } from "preact";
import { focusPanel } from "./focus.ts";
import { usePanel } from "./panel-context.ts";

/** Says what could not be loaded, with a button that tries it again. */
export function Failure({ text, onRetry }: { text: string; onRetry: () => void }): JSX.Element {
  const { messages } = usePanel();
  return (
    <div class="failure" role="alert">
      <p>{text}</p>
      <button
        type="button"
        class="quiet"
        onClick={(event) => {
          // The button disappears while it is tried again.
          focusPanel(event.currentTarget.closest<HTMLElement>(".panel"));
          onRetry();
        }}
      >
        {messages.retry}
      </button>
    </div>
  );
}
