/**
 * Tells a thread to end its task. The thread gets it in its `workerData`, as a copy that shares its memory.
 * Threads import this file, so it must import nothing that takes long to load.
 */
export type StopFlag = Int32Array<SharedArrayBuffer>;

export const createStopFlag = (): StopFlag => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

export function setStopFlag(flag: StopFlag): void {
  Atomics.store(flag, 0, 1);
}

/** True in a thread that should end its task. */
export const isStopFlagSet = (flag: StopFlag): boolean => Atomics.load(flag, 0) === 1;
