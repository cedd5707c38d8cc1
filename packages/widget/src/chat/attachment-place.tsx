/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type AttachedMessage, usePanel } from "../panel/panel-context.ts";

/**
 * What is attached to a message or, without one, the controls that attach something to the next message. Their code
 * loads with the first place that needs it.
 */
export function AttachmentPlace({ message }: { message?: AttachedMessage }): JSX.Element | null {
  const { core, mountAttachments } = usePanel();
  const place = useRef<HTMLDivElement>(null);
  const { images, files } = core.agent.attachments;
  useEffect(
    () => (place.current ? mountAttachments?.(place.current, message) : undefined),
    [message?.attachments, message?.notices],
  );
  return (message ? message.attachments?.length || message.notices?.length : images || files) ? (
    <div ref={place} class="attachments" />
  ) : null;
}
