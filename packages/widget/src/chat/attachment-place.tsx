/** @jsxImportSource preact */
import type { JSX } from "preact";
import { type AttachedMessage, usePanel } from "../panel/panel-context.ts";
import { PartPlace } from "./part-place.tsx";

/**
 * What is attached to a message or, without one, the controls that attach something to the next message. Their code
 * does not load in the dashboard's previews.
 */
export function AttachmentPlace({ message }: { message?: AttachedMessage }): JSX.Element | null {
  const { core, loadAttachments } = usePanel();
  const { images, files } = core.agent.attachments;
  const isNeeded = message ? message.attachments?.length || message.notices?.length : images || files;
  return isNeeded ? <PartPlace load={loadAttachments} class="attachments" message={message} /> : null;
}
