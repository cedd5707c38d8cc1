/** @jsxImportSource preact */
import { DECLINED } from "@foyer/sdk";
import type { JSX } from "preact";
import type { ToolPart } from "../conversation/conversation-state.ts";
import { FormPlace } from "../forms/form-place.tsx";
import type { Messages } from "../locales/en.ts";
import { interpolate } from "../locales/load-messages.ts";
import { Lamp } from "../panel/face.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { readableName, type ShownTool } from "../panel/slots.ts";
import { DisplayPlace } from "./display-place.tsx";
import { TextDisplay } from "./text-display.tsx";
import { ToolConfirmation } from "./tool-confirmation.tsx";

/** A page that sends no result may still have run the tool, so only a refusal is reported as not run. */
function failureMessage({ kind, result }: ToolPart, messages: Messages): string {
  if (kind !== "client") return messages.toolFailed;
  return result === DECLINED ? messages.toolDeclined : messages.toolUnconfirmed;
}

/** What the visitor sees of a tool call: that it is running, and then its result. `formKey` identifies the form. */
export function ToolView({ tool, formKey }: { tool: ToolPart; formKey: string }): JSX.Element | null {
  const { messages, mountRequest } = usePanel();
  const { name, label, state, display, form, result } = tool;
  const title = label ?? readableName(name);
  const isSearch = tool.kind === "documents";
  // The reply lists its sources, so a finished search shows nothing.
  if (isSearch && state !== "running") return null;
  // Where the code for handoffs is not loaded, such as in the dashboard's previews, the request shows nothing.
  if (tool.kind === "handoff") return mountRequest ? <div ref={(place) => mountRequest(tool, place)} /> : null;
  if (tool.question) return <ToolConfirmation {...tool.question} label={title} />;
  if (state === "running") {
    return (
      <p class="tool waiting">
        <Lamp />
        <span dir="auto">{isSearch ? messages.searchingDocuments : title}</span>
      </p>
    );
  }
  if (state === "failed") {
    return <p class="tool">{interpolate(failureMessage(tool, messages), { tool: title })}</p>;
  }
  if (form) return <FormPlace form={form} instanceKey={formKey} />;
  const { type = "text", slots = {}, options = {} } = display ?? {};
  const shown: ShownTool = { name, label, result, type, slots, options };
  return type === "text" ? <TextDisplay tool={shown} /> : <DisplayPlace tool={shown} />;
}
