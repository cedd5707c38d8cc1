/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type AttachedMessage, usePanel } from "../panel/panel-context.ts";
import { usePart } from "../panel/use-part.ts";

/**
 * What is attached to a message or, without one, the controls that attach something to the next message. Their code
 * loads with the first place that needs it, and not at all in the dashboard's previews.
 */
export function AttachmentPlace({ message }: { message?: AttachedMessage }): JSX.Element | null {
  const { core, loadAttachments } = usePanel();
  const place = useRef<HTMLDivElement>(null);
  const { images, files } = core.agent.attachments;
  const isNeeded = message ? message.attachments?.length || message.notices?.length : images || files;
  const attachments = usePart(isNeeded ? loadAttachments : undefined);
  useEffect(
    () => (place.current ? attachments?.mount(place.current, message) : undefined),
    [attachments, message?.attachments, message?.notices],
  );
  return isNeeded ? <div ref={place} class="attachments" /> : null;
}
