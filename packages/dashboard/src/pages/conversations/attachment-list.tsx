import type { MessageAttachment } from "@foyer/contract";
import { Download, FileText } from "lucide-react";
import { useState } from "react";
import { formatBytes } from "../../components/submitted-answers.ts";
import { serverUrl } from "../../data/server-address.ts";
import { PictureViewer, pictureUrl } from "./picture-viewer.tsx";

/** The pictures and files of a message. Pictures open in a viewer, files are downloaded. */
export function AttachmentList({
  attachments,
  isAtEnd = false,
}: {
  attachments: readonly MessageAttachment[];
  /** Aligns them with messages at the end of the line. */
  isAtEnd?: boolean;
}) {
  const [shown, setShown] = useState<string | null>(null);
  const pictures = attachments.filter(({ width }) => width !== null);
  if (attachments.length === 0) return null;
  return (
    <>
      <ul className={`flex max-w-full flex-wrap gap-2 ${isAtEnd ? "justify-end" : ""}`}>
        {attachments.map((attachment) => (
          <li key={attachment.id} className="min-w-0">
            {attachment.width === null ? (
              <FileLink file={attachment} />
            ) : (
              <Thumbnail picture={attachment} onOpen={() => setShown(attachment.id)} />
            )}
          </li>
        ))}
      </ul>
      <PictureViewer pictures={pictures} shown={shown} onShow={setShown} />
    </>
  );
}

function Thumbnail({ picture, onOpen }: { picture: MessageAttachment; onOpen: () => void }) {
  return (
    <button
      type="button"
      aria-label={`Open picture ${picture.name}`}
      title={picture.name}
      onClick={onOpen}
      className="block overflow-hidden rounded-lg border border-line bg-raised"
    >
      <img
        src={pictureUrl(picture)}
        alt=""
        width={picture.width ?? undefined}
        height={picture.height ?? undefined}
        loading="lazy"
        className="h-auto max-h-48 min-h-11 w-auto min-w-11 max-w-full object-cover"
      />
    </button>
  );
}

function FileLink({ file }: { file: MessageAttachment }) {
  return (
    <a
      href={serverUrl() + file.url}
      download={file.name}
      className="flex min-h-11 max-w-full items-center gap-2 rounded-lg border border-line bg-raised px-3 py-1.5 hover:border-edge"
    >
      <FileText size={16} aria-hidden className="shrink-0 text-soft" />
      <bdi className="min-w-0 truncate">{file.name}</bdi>
      <span className="shrink-0 text-sm text-soft">{formatBytes(file.size)}</span>
      <Download size={14} aria-label="Download" className="shrink-0 text-soft" />
    </a>
  );
}
