/** @jsxImportSource preact */
import type { Attachment } from "@foyer/contract";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { interpolate } from "../locales/load-messages.ts";
import { Icon } from "../panel/icon.tsx";
import { type AttachedMessage, usePanel } from "../panel/panel-context.ts";
import type { AttachmentController } from "./create-attachments.ts";
import { downloadBlob } from "./download-blob.ts";
import { formatSize } from "./format-size.ts";
import { openViewer } from "./open-viewer.tsx";
import { PictureCanvas } from "./picture-canvas.tsx";

/** The largest thumbnail in CSS pixels. */
const MAX_WIDTH = 240;
const MAX_HEIGHT = 200;
/** Thumbnails are drawn at twice their size, for high-density screens. */
const DENSITY = 2;

type Props = { attachments: AttachmentController };

/** The notices of a reply, and the pictures and files of a message. */
export function MessageAttachments({ message, attachments }: Props & { message: AttachedMessage }): JSX.Element {
  const { core } = usePanel();
  const { texts } = attachments;
  const list = message.attachments ?? [];
  return (
    <>
      {message.notices?.map(({ code }) => (
        <p key={code} class="note">
          {code === "picture_not_seen" ? interpolate(texts.pictureNotSeen, { name: core.agent.name }) : null}
        </p>
      ))}
      {list.length > 0 ? (
        <ul class="attached">
          {list.map((attachment) => (
            <li key={attachment.id}>
              {attachment.width === null ? (
                <FileRow file={attachment} attachments={attachments} />
              ) : (
                <Thumbnail picture={attachment} attachments={attachments} />
              )}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

function Thumbnail({ picture, attachments }: Props & { picture: Attachment }): JSX.Element {
  const panel = usePanel();
  const { texts, contents } = attachments;
  const [attempt, setAttempt] = useState(0);
  const [isMissing, setIsMissing] = useState(false);
  const retry = () => {
    setIsMissing(false);
    setAttempt(attempt + 1);
  };
  useEffect(() => {
    if (!isMissing) return;
    const life = new AbortController();
    addEventListener("online", retry, life);
    return () => life.abort();
  }, [isMissing]);
  if (isMissing) {
    return (
      <button type="button" class="quiet" onClick={retry}>
        {interpolate(texts.notLoaded, { name: picture.name })} {panel.messages.retry}
      </button>
    );
  }
  const { width = 1, height = 1 } = { width: picture.width ?? 1, height: picture.height ?? 1 };
  const scale = Math.min(1, MAX_WIDTH / width, MAX_HEIGHT / height);
  const label = interpolate(texts.open, { name: picture.name });
  return (
    <button
      type="button"
      class="picture"
      part="picture"
      aria-label={label}
      title={picture.name}
      // The final size, so that nothing moves when the picture has loaded.
      style={{ width: `${Math.max(44, Math.round(width * scale))}px`, aspectRatio: `${width} / ${height}` }}
      onClick={(event) => openViewer(panel, attachments, { id: picture.id, opener: event.currentTarget })}
    >
      <PictureCanvas
        id={`${picture.id}:${attempt}`}
        load={() => contents.load(picture.id)}
        maxWidth={MAX_WIDTH * DENSITY}
        maxHeight={MAX_HEIGHT * DENSITY}
        onFailed={() => setIsMissing(true)}
      />
    </button>
  );
}

function FileRow({ file, attachments }: Props & { file: Attachment }): JSX.Element {
  const { core, chat } = usePanel();
  const { texts, contents } = attachments;
  const size = formatSize(file.size, core.locale);
  const download = () =>
    contents.load(file.id).then(
      (content) => downloadBlob(content, file.name),
      () => chat.patch({ announcement: interpolate(texts.notLoaded, { name: file.name }) }),
    );
  return (
    <button
      type="button"
      class="file-row"
      part="file"
      title={interpolate(texts.download, { name: file.name })}
      onClick={download}
    >
      <Icon name="file" />
      <bdi class="file-name">{file.name}</bdi>
      <span class="time">{size}</span>
    </button>
  );
}
