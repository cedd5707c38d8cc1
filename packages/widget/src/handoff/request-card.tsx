/** @jsxImportSource preact */
import type { JSX } from "preact";
import type { ToolPart } from "../conversation/conversation-state.ts";
import { interpolate } from "../locales/load-messages.ts";
import { usePanel } from "../panel/panel-context.ts";
import type { HandoffTexts } from "./texts/load-texts.ts";

/**
 * The agent's request for a person, with its reason. A failed one shows nothing, because the reply says what happened.
 */
export function RequestCard({ tool, texts }: { tool: ToolPart; texts: HandoffTexts }): JSX.Element | null {
  const { core } = usePanel();
  if (tool.state !== "done") return null;
  const { reason } = (tool.result ?? {}) as { reason?: unknown };
  return (
    <div class="card card-text" part="handoff-request">
      <p class="note">{interpolate(texts.asked, { name: core.agent.name })}</p>
      {typeof reason === "string" ? <p dir="auto">{reason}</p> : null}
    </div>
  );
}
