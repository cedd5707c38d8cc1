import type { Attachment } from "@foyer/contract";
import { attachmentLimits } from "@foyer/contract/rules/attachment-limits";
import { type ClipboardEvent, type DragEvent, useEffect, useRef, useState } from "react";
import { notify } from "../../data/toasts.ts";

/** A picture or file that is added to the next message. */
export type AttachmentDraft = {
  key: number;
  name: string;
  /** Null when it was uploaded on another page or device. */
  file: File | null;
  /** The address of a preview, or null for a file. */
  preview: string | null;
  /** Why the upload failed, or null. */
  problem: string | null;
  /** Null until the upload is complete. */
  attachment: Attachment | null;
};

/** Where completed uploads are kept until the message is sent. */
type Kept = { attachments: readonly Attachment[]; onChange(attachments: Attachment[]): void };

export type Attaching = ReturnType<typeof useAttachments>;

/**
 * Uploads what is chosen, dropped or pasted, at most as many as a message may have. With `kept`, the completed uploads
 * follow what is kept, which can change on another device.
 */
export function useAttachments(upload: (file: File, signal: AbortSignal) => Promise<Attachment>, kept?: Kept) {
  const uploads = useRef(new Map<number, AbortController>());
  const nextKey = useRef(0);
  const [drafts, setDrafts] = useState<readonly AttachmentDraft[]>([]);
  const current = useRef(drafts);
  const onChange = useRef(kept?.onChange);
  onChange.current = kept?.onChange;

  /** Shows other drafts, and keeps the completed ones. */
  function update(next: readonly AttachmentDraft[]): void {
    const isChanged = listIds(completed(next)) !== listIds(completed(current.current));
    current.current = next;
    setDrafts(next);
    if (isChanged) onChange.current?.(completed(next));
  }

  const edit = (key: number, changes: Partial<AttachmentDraft>) =>
    update(current.current.map((draft) => (draft.key === key ? { ...draft, ...changes } : draft)));

  function start({ key, file }: Pick<AttachmentDraft, "key" | "file">): void {
    if (!file) return;
    const abort = new AbortController();
    uploads.current.set(key, abort);
    edit(key, { problem: null });
    upload(file, abort.signal).then(
      (attachment) => abort.signal.aborted || edit(key, { attachment }),
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

  const keptIds = kept ? listIds(kept.attachments) : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when other attachments are kept
  useEffect(() => {
    const before = current.current;
    if (!kept || listIds(completed(before)) === keptIds) return;
    const known = new Map(before.map((draft) => [draft.attachment?.id, draft]));
    const next = [
      ...kept.attachments.map((attachment) => known.get(attachment.id) ?? restore(attachment, nextKey.current++)),
      ...before.filter(({ attachment }) => attachment === null),
    ];
    discard(before.filter((draft) => !next.includes(draft)));
    current.current = next;
    setDrafts(next);
  }, [keptIds]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the composer disappears
  useEffect(() => () => discard(current.current), []);

  function add(files: readonly File[]): void {
    const free = attachmentLimits.perMessage - current.current.length;
    if (files.length > free) {
      notify(`A message can have up to ${attachmentLimits.perMessage} attachments.`, { isWrong: true });
    }
    const added = files.slice(0, Math.max(0, free)).map((file): AttachmentDraft => {
      const preview = file.type.startsWith("image/") ? URL.createObjectURL(file) : null;
      return { key: nextKey.current++, name: file.name, file, preview, problem: null, attachment: null };
    });
    update([...current.current, ...added]);
    for (const draft of added) start(draft);
  }

  return {
    drafts,
    /** The completed uploads, in their order. */
    attachments: completed(drafts),
    /** Whether an upload is running or has failed, so that the message cannot be sent yet. */
    isPending: drafts.some(({ attachment }) => attachment === null),
    add,
    retry: start,
    remove(key: number): void {
      discard(current.current.filter((draft) => draft.key === key));
      update(current.current.filter((draft) => draft.key !== key));
    },
    /** Removes the drafts of a message that was sent. */
    clear(): void {
      discard(current.current);
      update([]);
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

function completed(drafts: readonly AttachmentDraft[]): Attachment[] {
  return drafts.flatMap(({ attachment }) => (attachment ? [attachment] : []));
}

function listIds(attachments: readonly Attachment[]): string {
  return attachments.map(({ id }) => id).join(" ");
}

function restore(attachment: Attachment, key: number): AttachmentDraft {
  return { key, name: attachment.name, file: null, preview: null, problem: null, attachment };
}
