/** @jsxImportSource preact */
import { MAX_FILE_BYTES } from "@foyer/contract/rules/data-url";
import { describeField } from "@foyer/contract/rules/field-types";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { interpolate } from "../locales/load-messages.ts";
import { Icon } from "../panel/icon.tsx";
import { scrollIntoConversation } from "../panel/scroll-into-conversation.ts";
import { useStore } from "../store.ts";
import type { FieldProps } from "./field-props.ts";
import { useFormPanel } from "./form-panel.ts";
import { formatBytes } from "./format-bytes.ts";
import { ImagePreview } from "./image-preview.tsx";

/** A control for one file, which can be chosen or dropped, previewed and removed. It wraps a real file input. */
export function FileField({ field, id, session, isLocked, isWrong, describedBy }: FieldProps): JSX.Element {
  const { core, messages } = useFormPanel();
  const file = useStore(session.store).files[field.name];
  const input = useRef<HTMLInputElement>(null);
  const newest = useRef<File>(null);
  const [isOver, setIsOver] = useState(false);
  const { mediaType } = describeField(field);
  const isImage = mediaType === "image/";
  // Scroll to the error message below the file, which may be outside the visible area of a small screen.
  useEffect(() => {
    if (file && isWrong) scrollIntoConversation(input.current?.closest(".field"), "nearest");
  }, [file, isWrong]);
  const size = (bytes: number) => formatBytes(bytes, core.locale);
  const limit = interpolate(messages.upTo, { size: size(MAX_FILE_BYTES) });

  /** Reduces a photo and removes where it was taken, as the chat does. What cannot be decoded is left to validation. */
  const attach = async (chosen: File) => {
    newest.current = chosen;
    const prepare = async () => (await import("../attachments/prepare-picture.ts")).preparePicture(chosen);
    // Other pictures than photos stay as they are unless they are too large.
    const isPhoto = /jpeg|hei[cf]|^$/.test(chosen.type) || chosen.size > MAX_FILE_BYTES;
    const ready = isImage && isPhoto ? await prepare().catch(() => chosen) : chosen;
    if (newest.current === chosen) session.attach(field.name, ready);
  };
  const choose = (files: FileList | null | undefined) => {
    const first = files?.[0];
    if (first && !isLocked) void attach(first);
    // Clears the input, so the same file can be chosen again.
    if (input.current) input.current.value = "";
  };
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    setIsOver(true);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setIsOver(false);
    choose(event.dataTransfer?.files);
  };
  const remove = () => {
    newest.current = null;
    session.attach(field.name, null);
    input.current?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a drop target; keyboard users have the file input inside it
    <div
      class={`file${isOver ? " over" : ""}${isWrong ? " wrong" : ""}`}
      part="input"
      onDragOver={onDragOver}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
    >
      {file ? isImage ? <ImagePreview file={file} /> : <FileMark /> : <FileMark />}
      <div class="file-text" id={`${id}-about`}>
        {file ? (
          <bdi class="file-name">{file.name}</bdi>
        ) : (
          <span class="file-choose">{isImage ? messages.chooseImage : messages.chooseFile}</span>
        )}
        <span class="hint">{file ? size(file.size) : limit}</span>
      </div>
      <input
        ref={input}
        id={id}
        type="file"
        class="file-input"
        name={field.name}
        accept={mediaType && `${mediaType}*`}
        required={field.validation?.required?.value === true && !file}
        disabled={isLocked}
        title=""
        aria-invalid={isWrong ? "true" : undefined}
        aria-describedby={[`${id}-about`, describedBy].filter(Boolean).join(" ")}
        onChange={(event) => choose(event.currentTarget.files)}
      />
      <span class="ring" />
      {file ? (
        <button
          type="button"
          class="icon-button"
          aria-label={interpolate(messages.removeFile, { name: file.name })}
          title={interpolate(messages.removeFile, { name: file.name })}
          onClick={remove}
        >
          <Icon name="close" />
        </button>
      ) : null}
    </div>
  );
}

function FileMark(): JSX.Element {
  return (
    <span class="thumb">
      <Icon name="file" />
    </span>
  );
}
