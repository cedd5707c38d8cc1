/** @jsxImportSource preact */
import { chooseSuggestions } from "@foyer/contract/rules/page-suggestions";
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";
import { usePath } from "../panel/use-path.ts";
import { MarkdownView } from "./markdown-view.tsx";
import { Sender } from "./sender.tsx";
import { SuggestionList } from "./suggestion-list.tsx";

/** The greeting, which stays above the conversation, and what the page suggests until the conversation has started. */
export function Welcome({ hasStarted }: { hasStarted: boolean }): JSX.Element | null {
  const { core } = usePanel();
  const { widget, allowedImageHosts } = core.agent;
  const greeting = core.options.greeting ?? widget.greeting;
  const path = usePath(!hasStarted && !!widget.pageSuggestions?.length);
  const suggestions = hasStarted ? [] : chooseSuggestions(widget, path);
  if (hasStarted && !greeting) return null;
  return (
    <div class={hasStarted ? "welcome" : "welcome opening"} part="welcome">
      {greeting && hasStarted ? <Sender light="lit" /> : null}
      {greeting ? <MarkdownView text={greeting} imageHosts={allowedImageHosts} isUnfinished={false} /> : null}
      <SuggestionList suggestions={suggestions} isRows />
    </div>
  );
}
