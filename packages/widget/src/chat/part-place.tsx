/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { AttachedMessage } from "../panel/panel-context.ts";
import { usePart } from "../panel/use-part.ts";

type Part = { mount(place: HTMLElement, message?: AttachedMessage): () => void };

type Props = { load: (() => Promise<Part>) | undefined; class?: string; message?: AttachedMessage | undefined };

/** The place of a part whose code loads with the first place that needs it. */
export function PartPlace({ load, class: name, message }: Props): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const part = usePart(load);
  useEffect(
    () => (place.current ? part?.mount(place.current, message) : undefined),
    [part, message?.attachments, message?.notices],
  );
  return <div ref={place} class={name} />;
}
