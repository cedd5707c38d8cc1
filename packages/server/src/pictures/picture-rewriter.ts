import { createReadingThread } from "../http/reading-thread.ts";
import { type Picture, PictureError, type PictureType } from "./picture.ts";
import { rewritePicture } from "./rewrite-picture.ts";

/** What the thread responds: the picture without metadata, or why it is refused. */
export type ReadPicture = (Omit<Picture, "bytes"> & { bytes: Uint8Array }) | { problem: string };

export type PictureRewriter = ReturnType<typeof createPictureRewriter>;

/** Pictures above this size are copied in another thread. A smaller one takes at most 2 ms. */
const LARGE_PICTURE_BYTES = 64 * 1024;

/** Copies pictures without their metadata, and large ones off the event loop. See `rewritePicture`. */
export function createPictureRewriter() {
  const thread = createReadingThread<ReadPicture, { type: PictureType }>(
    new URL("./rewrite-picture-thread.ts", import.meta.url),
  );
  return {
    /** The caller must not use the bytes afterwards, because their memory can move to the thread. @throws PictureError */
    async rewrite(bytes: Buffer, type: PictureType): Promise<Picture> {
      if (bytes.length <= LARGE_PICTURE_BYTES) return rewritePicture(bytes, type);
      const read = await thread.read(bytes, { type });
      if ("problem" in read) throw new PictureError(read.problem);
      return { ...read, bytes: Buffer.from(read.bytes.buffer, read.bytes.byteOffset, read.bytes.byteLength) };
    },
    stop: () => thread.stop(),
  };
}
