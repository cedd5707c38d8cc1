import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * The maximum time for which a computation occupies the event loop, in milliseconds. It is long enough that short tasks
 * never wait, and short enough that other requests hardly notice.
 */
const MAX_HOLD_MS = 20;

/** A long computation that yields between its pieces, each of which takes a few milliseconds. */
export type InPieces<T> = Generator<undefined, T>;

/** Runs a computation to its end and yields to the event loop whenever it has held it for 20 ms. */
export async function runInPieces<T>(computation: InPieces<T>): Promise<T> {
  let startedAt = performance.now();
  for (;;) {
    const piece = computation.next();
    if (piece.done) return piece.value;
    if (performance.now() - startedAt < MAX_HOLD_MS) continue;
    await nextTurn();
    startedAt = performance.now();
  }
}
