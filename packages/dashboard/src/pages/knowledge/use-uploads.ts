import type { Document } from "@foyer/contract";
import { useRef, useState } from "react";
import { notify } from "../../data/toasts.ts";
import { refreshDocuments } from "./add-document.tsx";
import { describeAdded, formatSize } from "./document-labels.ts";
import { uploadFile } from "./upload-file.ts";

/** A file that is waiting, being sent, or failed. It is removed from the list once the server has stored it. */
export type Upload = {
  id: number;
  file: File;
  state: "waiting" | "sending" | "failed";
  /** the share that was sent, from 0 to 1 */
  share: number;
  /** why it failed */
  reason: string | null;
};

/** More concurrent uploads would only share the same connection. */
const MAX_CONCURRENT = 2;

/** Uploads files, a few at a time. Each file has its own progress, and a failed upload can be retried. */
export function useUploads(agentId: string, maxFileBytes: number | undefined) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const queue = useRef<Upload[]>([]);
  const running = useRef(0);
  const lastId = useRef(0);
  const stored = useRef<Document[]>([]);
  const toast = useRef<number>(undefined);

  const change = (id: number, changes: Partial<Upload>) =>
    setUploads((all) => all.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)));
  const remove = (id: number) => setUploads((all) => all.filter((upload) => upload.id !== id));

  async function send({ id, file }: Upload) {
    change(id, { state: "sending" });
    try {
      stored.current.push(await uploadFile(agentId, file, (share) => change(id, { share })));
      // One message for all files that are uploaded together.
      toast.current = notify(describeAdded(stored.current), { replaces: toast.current });
      await refreshDocuments();
      remove(id);
    } catch (error) {
      change(id, { state: "failed", reason: error instanceof Error ? error.message : String(error) });
    }
  }

  async function uploadNext() {
    if (running.current >= MAX_CONCURRENT) return;
    running.current++;
    for (let next = queue.current.shift(); next; next = queue.current.shift()) await send(next);
    running.current--;
    if (running.current > 0) return;
    stored.current = [];
    toast.current = undefined;
  }

  function start(more: readonly Upload[]) {
    queue.current.push(...more);
    for (let count = 0; count < MAX_CONCURRENT; count++) void uploadNext();
  }

  return {
    uploads,
    upload(files: readonly File[]) {
      const added = files.map((file): Upload => {
        const reason = findProblem(file, maxFileBytes);
        return { id: ++lastId.current, file, state: reason === null ? "waiting" : "failed", share: 0, reason };
      });
      setUploads((all) => [...all, ...added]);
      start(added.filter(({ reason }) => reason === null));
    },
    retry(upload: Upload) {
      const again: Upload = { ...upload, state: "waiting", share: 0, reason: null };
      change(upload.id, again);
      start([again]);
    },
    dismiss: remove,
  };
}

/** Checks a file before it is uploaded. */
function findProblem({ size }: File, maxFileBytes = Number.POSITIVE_INFINITY): string | null {
  if (size === 0) return "The file is empty.";
  return size > maxFileBytes
    ? `The file is larger than ${formatSize(maxFileBytes)}. Split it into smaller files.`
    : null;
}
