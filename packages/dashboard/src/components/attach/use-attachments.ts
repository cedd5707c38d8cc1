import type { Attachment } from "@foyer/contract";
import { attachmentLimits } from "@foyer/contract/rules/attachment-limits";
import { type ClipboardEvent, type DragEvent, useEffect, useRef, useState } from "react";
import { notify } from "../../data/toasts.ts";

/** A picture or file that is added to the next message. */
export type AttachmentDraft = {
  key: number;
  file: File;
  /** The address of a preview, or null for a file. */
  preview: string | null;
  /** Why the upload failed, or null. */
  problem: string | null;
  /** Null until the upload is complete. */
  attachment: Attachment | null;
};

export type Attaching = ReturnType<typeof useAttachments>;

/** Uploads what is chosen, dropped or pasted, at most as many as a message may have. */
export function useAttachments(upload: (file: File, signal: AbortSignal) => Promise<Attachment>) {
  const [drafts, setDrafts] = useState<readonly AttachmentDraft[]>([]);
  const uploads = useRef(new Map<number, AbortController>());
  const nextKey = useRef(0);
  const current = useRef(drafts);
  current.current = drafts;
  const edit = (key: number, changes: Partial<AttachmentDraft>) =>
    setDrafts((all) => all.map((draft) => (draft.key === key ? { ...draft, ...changes } : draft)));

  function start({ key, file }: Pick<AttachmentDraft, "key" | "file">): void {
    const abort = new AbortController();
    uploads.current.set(key, abort);
    edit(key, { problem: null });
    upload(file, abort.signal).then(
      (attachment) => edit(key, { attachment }),
      (error: Error) => abort.signal.aborted || edit(key, { problem: error.message }),
    );
  }

  function discard(removed: readonly AttachmentDraft[]): void {
    for (const { key, preview } of removed) {
      uploads.current.get(key)?.abort();
      uploads.current.delete(key);
      if (preview) URL.revokeObjectURL(preview);
    }
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the composer disappears
  useEffect(() => () => discard(current.current), []);

  function add(files: readonly File[]): void {
    const free = attachmentLimits.perMessage - drafts.length;
    if (files.length > free) {
      notify(`A message can have up to ${attachmentLimits.perMessage} attachments.`, { isWrong: true });
    }
    const added = files.slice(0, Math.max(0, free)).map((file): AttachmentDraft => {
      const preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : null;
      return { key: nextKey.current++, file, preview, problem: null, attachment: null };
    });
    setDrafts((all) => [...all, ...added]);
    for (const draft of added) start(draft);
  }

  return {
    drafts,
    /** The completed uploads, in their order. */
    attachments: drafts.flatMap(({ attachment }) => (attachment ? [attachment] : [])),
    /** Whether an upload is running or has failed, so that the message cannot be sent yet. */
    isPending: drafts.some(({ attachment }) => attachment === null),
    add,
    retry: start,
    remove(key: number): void {
      discard(drafts.filter((draft) => draft.key === key));
      setDrafts((all) => all.filter((draft) => draft.key !== key));
    },
    /** Removes the drafts of a message that was sent. */
    clear(): void {
      discard(drafts);
      setDrafts([]);
    },
    /** Props of the element that accepts dropped and pasted files. */
    target: {
      onDragOver(event: DragEvent): void {
        if (event.dataTransfer.types.includes("Files")) event.preventDefault();
      },
      onDrop(event: DragEvent): void {
        const files = [...event.dataTransfer.files];
        if (files.length === 0) return;
        event.preventDefault();
        add(files);
      },
      onPaste(event: ClipboardEvent): void {
        const { clipboardData } = event;
        const files = [...clipboardData.files];
        // Office programs add a picture of the text that was copied.
        const isText = clipboardData.types.includes("text/plain") && clipboardData.types.includes("text/html");
        if (files.length === 0 || isText) return;
        event.preventDefault();
        add(files);
      },
    },
  };
}
