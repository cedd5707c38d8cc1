/** The kinds of pictures that are accepted. */
export type PictureType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** A picture without metadata. The size is that of the upright picture. */
export type Picture = { type: PictureType; width: number; height: number; bytes: Buffer };

/** What a rewriter of one format has found: the parts to keep, in order, and the size before the orientation. */
export type RewrittenPicture = {
  parts: Buffer[];
  width: number;
  height: number;
  /** frames of an animation; 1 for a still picture */
  frames: number;
  /** how often the whole picture is decoded: the scans of a progressive JPEG, each of which can change every pixel */
  scans?: number;
  /** the orientation by Exif, from 1 to 8 */
  orientation: number;
};

/** Why a picture is refused. The message is for the person who sent it. */
export class PictureError extends Error {}

export function truncatedError(): PictureError {
  return new PictureError("The picture is incomplete or damaged.");
}

/** Reads a slice that must exist. @throws PictureError when the picture ends before */
export function slice(bytes: Buffer, start: number, length: number): Buffer {
  if (length < 0 || start + length > bytes.length) throw truncatedError();
  return bytes.subarray(start, start + length);
}

/**
 * The maximum number of segments, chunks or blocks of a picture, because a picture of 10 MB could consist of almost a
 * million empty ones.
 */
const MAX_PARTS = 10_000;

/** @returns a function to call for each part of a picture. It throws PictureError when there are too many. */
export function createPartCounter(): () => void {
  let count = 0;
  return () => {
    if (++count > MAX_PARTS) throw new PictureError("The picture has too many parts.");
  };
}
