import { parentPort } from "node:worker_threads";
import { PictureError, type PictureType } from "./picture.ts";
import type { ReadPicture } from "./picture-rewriter.ts";
import { rewritePicture } from "./rewrite-picture.ts";

/**
 * Receives `{ id, bytes, type }` and responds with `{ id, read }`, one picture at a time. The memory of the copy is
 * transferred.
 */
parentPort?.on("message", ({ id, bytes, type }: { id: number; bytes: Uint8Array; type: PictureType }) => {
  const read = rewrite(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), type);
  parentPort?.postMessage({ id, read }, "bytes" in read ? [read.bytes.buffer as ArrayBuffer] : []);
});

function rewrite(bytes: Buffer, type: PictureType): ReadPicture {
  try {
    const picture = rewritePicture(bytes, type);
    // A small copy can be part of Node's shared pool, which cannot be transferred.
    return { ...picture, bytes: new Uint8Array(picture.bytes) };
  } catch (error) {
    if (error instanceof PictureError) return { problem: error.message };
    throw error;
  }
}
