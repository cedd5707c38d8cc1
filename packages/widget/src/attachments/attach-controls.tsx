/** @jsxImportSource preact */
import { attachmentLimits } from "@foyer/contract/rules/attachment-limits";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { interpolate } from "../locales/load-messages.ts";
import { Icon } from "../panel/icon.tsx";
import { IconButton } from "../panel/icon-button.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useStore } from "../store.ts";
import type { AttachmentController } from "./create-attachments.ts";
import type { Draft } from "./draft.ts";
import { formatSize } from "./format-size.ts";
import { PictureCanvas } from "./picture-canvas.tsx";

/** The side of a preview in pixels: twice its size in CSS pixels, for high-density screens. */
const PREVIEW_PX = 80;

type Props = { attachments: AttachmentController };

/** The button that attaches files to the next message, and what is attached so far. Files can be dropped and pasted. */
export function AttachControls({ place, attachments }: Props & { place: HTMLElement }): JSX.Element | null {
  const { chat } = usePanel();
  const { texts } = attachments;
  const { drafts, hasTooMany } = useStore(attachments.store);
  useStore(chat.store);
  const isAllowed = attachments.isAllowed();
  const isOver = useDropAndPaste(place, attachments, isAllowed);
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isAllowed) attachments.restore();
    // What was attached for a person cannot be sent to the agent.
    else if (attachments.store.get().drafts.length > 0) attachments.clear();
  }, [isAllowed]);
  if (!isAllowed) return null;
  const choose = (field: HTMLInputElement) => {
    attachments.add([...(field.files ?? [])]);
    // Clears the field, so that the same file can be chosen again.
    field.value = "";
  };
  const remove = (key: string) => {
    attachments.remove(key);
    button.current?.focus();
  };
  return (
    <>
      {drafts.length > 0 ? (
        <ul class="drafts">
          {drafts.map((draft) => (
            <DraftView key={draft.key} draft={draft} attachments={attachments} onRemove={() => remove(draft.key)} />
          ))}
        </ul>
      ) : null}
      {hasTooMany ? (
        <p class="note too-many" role="alert">
          {interpolate(texts.tooMany, { count: attachmentLimits.perMessage })}
        </p>
      ) : null}
      <button
        ref={button}
        type="button"
        class="icon-button attach"
        part="attach"
        aria-label={texts.attach}
        title={texts.attach}
        onClick={() => input.current?.click()}
      >
        <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M20 11.5l-8 8a5.3 5.3 0 0 1-7.5-7.5l8-8a3.5 3.5 0 0 1 5 5l-8 8a1.8 1.8 0 0 1-2.5-2.5l7-7" />
        </svg>
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={attachments.accept}
        aria-label={texts.attach}
        onChange={(event) => choose(event.currentTarget)}
      />
      {isOver ? (
        <div class="drop-zone" aria-hidden="true">
          {texts.drop}
        </div>
      ) : null}
    </>
  );
}

type DraftProps = Props & { draft: Draft; onRemove: () => void };

function DraftView({ draft, attachments, onRemove }: DraftProps): JSX.Element {
  const { core, messages } = usePanel();
  const { texts } = attachments;
  const { name, content, attachment, state, progress, problem } = draft;
  const label = interpolate(state === "preparing" ? texts.preparing : texts.uploading, { name });
  return (
    <li class={problem ? "draft wrong" : "draft"} part="draft">
      <span class="thumb" aria-hidden="true">
        {draft.isPicture && content ? (
          <PictureCanvas id={draft.key} load={async () => content} maxWidth={PREVIEW_PX} maxHeight={PREVIEW_PX} />
        ) : (
          <Icon name="file" />
        )}
      </span>
      <div class="draft-text">
        <bdi class="file-name">{name}</bdi>
        {problem ? (
          <span class="problem" role="alert">
            {problem}
          </span>
        ) : state === "done" ? (
          <span class="time">{formatSize(attachment?.size ?? 0, core.locale)}</span>
        ) : (
          <progress aria-label={label} max={1} value={state === "preparing" ? undefined : progress} />
        )}
        {state === "waiting" ? (
          <button type="button" class="quiet" onClick={() => attachments.retry(draft.key)}>
            {messages.retry}
          </button>
        ) : null}
      </div>
      <IconButton name="close" label={interpolate(texts.remove, { name })} onClick={onRemove} />
    </li>
  );
}

/** Accepts files that are dropped on the panel or pasted into it. @returns whether files are dragged over the panel */
function useDropAndPaste(place: HTMLElement, { add }: AttachmentController, isAllowed: boolean): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const panel = place.closest<HTMLElement>(".panel");
    if (!panel || !isAllowed) return;
    const life = new AbortController();
    const onDrag = (event: DragEvent) => {
      // A file field of a form takes what is dragged over it.
      if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      setIsOver(true);
    };
    const onLeave = ({ relatedTarget }: DragEvent) => {
      if (!(relatedTarget instanceof Node && panel.contains(relatedTarget))) setIsOver(false);
    };
    const onDrop = (event: DragEvent) => {
      setIsOver(false);
      const files = event.defaultPrevented ? [] : [...(event.dataTransfer?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      add(files);
    };
    const onPaste = (event: ClipboardEvent) => {
      const { clipboardData } = event;
      const files = [...(clipboardData?.files ?? [])];
      // Office programs add a picture of the text that was copied.
      const isText = clipboardData?.types.includes("text/plain") && clipboardData.types.includes("text/html");
      if (files.length === 0 || isText) return;
      event.preventDefault();
      add(files);
    };
    panel.addEventListener("dragenter", onDrag, life);
    panel.addEventListener("dragover", onDrag, life);
    panel.addEventListener("dragleave", onLeave, life);
    panel.addEventListener("drop", onDrop, life);
    panel.addEventListener("paste", onPaste, life);
    return () => life.abort();
  }, [isAllowed]);
  return isOver;
}
