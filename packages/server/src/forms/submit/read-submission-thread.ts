import { parentPort } from "node:worker_threads";
import { readSubmission } from "./read-submission.ts";

/**
 * Receives `{ id, bytes, maxValues }` and responds with `{ id, read }`, one body at a time. The memory of files is
 * transferred, not copied.
 */
parentPort?.on("message", ({ id, bytes, maxValues }: { id: number; bytes: Uint8Array; maxValues: number }) => {
  const read = readSubmission(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), maxValues);
  const transferList = "files" in read ? [...read.files.values()].map(({ content }) => content.buffer) : [];
  parentPort?.postMessage({ id, read }, transferList as ArrayBuffer[]);
});
