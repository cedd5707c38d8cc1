import { setImmediate as nextTurn } from "node:timers/promises";
import { Zip, ZipDeflate, ZipPassThrough } from "fflate";

/** A file of an archive. Its chunks are read when the archive reaches it. */
export type ZipEntry = { name: string; isCompressed: boolean; chunks: AsyncIterable<Uint8Array> };

/** The compression level. Level 1 is three times as fast as the default and good enough for JSON. */
const LEVEL = 1;
/** The number of bytes that are compressed at a time, which takes about 3 ms. */
const SLICE = 64 * 1024;

/** An archive that is built while it is read, so that its memory use does not depend on its size. */
export async function* zipStream(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let failure: Error | null = null;
  const zip = new Zip((error, chunk) => {
    if (error) failure = error;
    else ready.push(chunk);
  });
  function* drain() {
    if (failure) throw failure;
    yield* ready;
    ready = [];
  }
  for await (const { name, isCompressed, chunks } of entries) {
    const file = isCompressed ? new ZipDeflate(name, { level: LEVEL }) : new ZipPassThrough(name);
    zip.add(file);
    for await (const chunk of chunks) {
      for (let start = 0; start < chunk.length; start += SLICE) {
        file.push(chunk.subarray(start, start + SLICE));
        yield* drain();
        await nextTurn();
      }
    }
    file.push(new Uint8Array(0), true);
    yield* drain();
  }
  zip.end();
  yield* drain();
}
