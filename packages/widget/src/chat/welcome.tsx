/** @jsxImportSource preact */
import type { JSX } from "preact";
import { MarkdownView } from "../markdown/markdown-view.tsx";
import { usePanel } from "../panel/panel-context.ts";

/** The greeting, which stays above the conversation, and suggested questions until the conversation has started. */
export function Welcome({ hasStarted }: { hasStarted: boolean }): JSX.Element | null {
  const { core, chat, messages } = usePanel();
  const { widget, allowedImageHosts } = core.agent;
  const greeting = core.options.greeting ?? widget.greeting;
  const suggestions = hasStarted ? [] : (widget.suggestions ?? []);
  if (hasStarted && !greeting) return null;
  return (
    <div class="welcome" part="welcome">
      {greeting ? <MarkdownView text={greeting} imageHosts={allowedImageHosts} isUnfinished={false} /> : null}
      {suggestions.length > 0 ? (
        <ul class="suggestions" aria-label={messages.suggestions}>
          {suggestions.map((suggestion) => (
            <li key={suggestion}>
              <button
                type="button"
                class="quiet"
                part="suggestion"
                dir="auto"
                onClick={() => void chat.send(suggestion)}
              >
                {suggestion}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
