/** @jsxImportSource preact */
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";
import type { ToolQuestion } from "../tools/page-tools.ts";

/** Asks the visitor to allow what the page is about to do. The reply waits for the decision. */
export function ToolConfirmation({ label, text, input, answer }: ToolQuestion & { label: string }): JSX.Element {
  const { messages } = usePanel();
  return (
    <fieldset class="confirm" aria-label={text} dir="auto" part="confirm">
      <p class="note">{label}</p>
      <p>{text}</p>
      {input.map((line, index) => (
        <p class="note" key={index}>
          {line}
        </p>
      ))}
      <div class="suggestions">
        <button type="button" class="quiet" onClick={() => answer(true)}>
          {messages.allow}
        </button>
        <button type="button" class="quiet" onClick={() => answer(false)}>
          {messages.decline}
        </button>
      </div>
    </fieldset>
  );
}
