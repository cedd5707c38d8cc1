/** @jsxImportSource preact */
import type { JSX } from "preact";
import { MarkdownView } from "../markdown/markdown-view.tsx";
import { usePanel } from "../panel/panel-context.ts";

/** What stands there before anything was said: the greeting, and what one may want to ask. */
export function Welcome(): JSX.Element | null {
  const { core, chat, words } = usePanel();
  const { widget, allowedImageHosts } = core.agent;
  const greeting = core.options.greeting ?? widget.greeting;
  const suggestions = widget.suggestions ?? [];
  return (
    <div class="welcome" part="welcome">
      {greeting ? <MarkdownView text={greeting} imageHosts={allowedImageHosts} isUnfinished={false} /> : null}
      {suggestions.length > 0 ? (
        <ul class="suggestions" aria-label={words.suggestions}>
          {suggestions.map((suggestion) => (
            <li key={suggestion}>
              <button
                type="button"
                class="quiet"
                part="suggestion"
                dir="auto"
                onClick={() => void chat.say(suggestion)}
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
