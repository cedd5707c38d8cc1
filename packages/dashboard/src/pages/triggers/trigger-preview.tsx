import type { Agent } from "@foyer/contract";
import { useRef } from "react";
import { useSize, WidgetFrame } from "../../components/widget-frame.tsx";
import { useColorScheme } from "../../data/theme.ts";
import type { TriggerDraft } from "./trigger-draft.ts";

/** The page in the frame, in pixels. It is wider than a phone, so that the chat stays in its corner. */
const PAGE_WIDTH = 500;

/** The real widget right after the trigger fired. It is not interactive, and nothing is counted. */
export function TriggerPreview({ agent, values }: { agent: Agent; values: TriggerDraft }) {
  const stage = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(stage);
  const theme = useColorScheme();
  const scale = Math.min(1, width / PAGE_WIDTH);
  return (
    <figure className="grid gap-2">
      <div ref={stage} inert className="relative h-[30rem] overflow-hidden rounded-lg border border-line bg-sunken">
        {width > 0 && (
          <WidgetFrame
            agentId={agent.id}
            title="Trigger preview"
            shown={{
              name: agent.name,
              widget: agent.widget,
              images: agent.images,
              theme,
              trigger: shownTrigger(values),
            }}
            width={Math.max(PAGE_WIDTH, width)}
            height={height / scale}
            scale={scale}
          />
        )}
      </div>
      <figcaption className="text-sm text-soft">{describe(values)}</figcaption>
    </figure>
  );
}

/** The trigger to preview, or null while no form is chosen. Bubbles don't time out in the preview. */
function shownTrigger({ actionType, actionConfig: { message, toolId } }: TriggerDraft) {
  if (actionType === "show_form") return toolId ? { actionType, actionConfig: { toolId } } : null;
  if (actionType === "open_chat") return { actionType, actionConfig: message ? { message } : {} };
  return { actionType, actionConfig: { message: message || "Your message" } };
}

function describe({ actionType, actionConfig: { message, duration, toolId } }: TriggerDraft): string {
  if (actionType === "show_form") return toolId ? "The chat opens with the form." : "Choose a form to preview it.";
  if (actionType === "open_chat") {
    return message ? "The chat opens with the message ready to send." : "The chat opens.";
  }
  const end = typeof duration === "number" ? "its time is up or the visitor closes it" : "the visitor closes it";
  return `The bubble stays until ${end}. Clicking it opens the chat and starts the conversation with this message.`;
}
