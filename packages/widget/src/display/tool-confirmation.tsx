/** @jsxImportSource preact */
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";
import { readableName } from "../panel/slots.ts";
import type { ToolQuestion } from "../tools/page-tools.ts";
import { Rows } from "./rows.tsx";

/** The name and the value of a property, from a line such as `size: M`. */
const splitLine = (line: string): [string, string] => {
  const at = line.indexOf(": ");
  return [readableName(line.slice(0, at)), line.slice(at + 2)];
};

/** Asks the visitor to allow what the page is about to do. The reply waits for the decision. */
export function ToolConfirmation({ label, text, input, answer }: ToolQuestion & { label: string }): JSX.Element {
  const { messages } = usePanel();
  return (
    <fieldset class="card card-text confirm" aria-label={text} dir="auto" part="confirm">
      <p class="note">{label}</p>
      <strong>{text}</strong>
      <Rows rows={input.map(splitLine)} />
      <div class="buttons">
        <button type="button" class="quiet main" onClick={() => answer(true)}>
          {messages.allow}
        </button>
        <button type="button" class="quiet" onClick={() => answer(false)}>
          {messages.decline}
        </button>
      </div>
    </fieldset>
  );
}
