import type { Attachment, UploadedAttachment } from "@foyer/contract";
import { randomId } from "../loader/random-id.ts";

/** A picture or file that the visitor has added to the next message. */
export type Draft = {
  key: string;
  name: string;
  isPicture: boolean;
  /** What is uploaded: the file, or its reduced picture once that is ready. Null for an upload of an earlier page. */
  content: File | null;
  /** `waiting` continues when the connection returns. A `refused` file is not part of the message. */
  state: "preparing" | "uploading" | "waiting" | "refused" | "done";
  /** The uploaded share, from 0 to 1. */
  progress: number;
  /** Why it waits or was refused, in the visitor's language. */
  problem: string | null;
  attachment: UploadedAttachment | null;
};

/** An upload of an earlier page. */
export function toDraft<File extends Attachment>(attachment: File) {
  return {
    key: randomId(),
    name: attachment.name,
    isPicture: attachment.width !== null,
    content: null,
    state: "done" as const,
    progress: 1,
    problem: null,
    attachment,
  };
}
