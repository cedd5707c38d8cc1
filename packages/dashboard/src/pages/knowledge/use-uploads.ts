import { useState } from "react";
import { api } from "../../data/api.ts";
import { announce, refreshDocuments } from "./add-document.tsx";
import { sizeInWords } from "./document-labels.ts";

type Refused = { name: string; reason: string };

/** Uploads files one after the other. `refused` are those that the server did not take, with its reasons. */
export function useUploads(agentId: string, maxFileBytes: number | undefined) {
  const [remaining, setRemaining] = useState<readonly string[]>([]);
  const [refused, setRefused] = useState<readonly Refused[]>([]);

  async function upload(files: readonly File[]) {
    setRemaining((current) => [...current, ...files.map(({ name }) => name)]);
    for (const file of files) {
      const reason = problemOf(file, maxFileBytes) ?? (await send(agentId, file));
      if (reason !== null) setRefused((current) => [...current, { name: file.name, reason }]);
      setRemaining((current) => current.toSpliced(current.indexOf(file.name), 1));
    }
  }
  return { upload, remaining, refused, dismiss: () => setRefused([]) };
}

/** What is wrong with a file before anything is sent. */
function problemOf({ size }: File, maxFileBytes = Number.POSITIVE_INFINITY): string | null {
  if (size === 0) return "The file is empty.";
  return size > maxFileBytes
    ? `The file is larger than ${sizeInWords(maxFileBytes)}. Split it into smaller files.`
    : null;
}

/** @returns why the file was not taken, or null */
async function send(agentId: string, file: File): Promise<string | null> {
  try {
    announce(await api.uploadDocument({ agentId, name: file.name, body: file }));
    await refreshDocuments();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
