/** @jsxImportSource preact */
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";
import { MarkdownView } from "./markdown-view.tsx";

/** Shown in place of the message field until the visitor agrees to the agent's `consentText`. */
export function ConsentView({ text }: { text: string }): JSX.Element {
  const { chat, messages } = usePanel();
  return (
    <section class="composer consent" part="consent" aria-label={messages.consentLabel}>
      <div class="consent-text">
        <MarkdownView text={text} imageHosts={[]} isUnfinished={false} />
      </div>
      <button type="button" class="quiet main" onClick={() => chat.agree()}>
        {messages.agree}
      </button>
    </section>
  );
}
