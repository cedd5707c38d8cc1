import process from "node:process";
import { workerData } from "node:worker_threads";

/**
 * This file runs in a thread of the extraction process, because a file that causes an endless loop or exhausts the
 * memory blocks the main thread. The thread kills the process when it exceeds its memory limit or its parent has ended.
 */
const POLL_MS = 10;
/** Lower than the limit of 512 MB, because a process can allocate dozens of megabytes between two checks. */
const MAX_RSS = 432 * 1024 * 1024;

const { parent } = workerData as { parent: number };
const clock = new Int32Array(new SharedArrayBuffer(4));

while (process.ppid === parent && process.memoryUsage.rss() < MAX_RSS) Atomics.wait(clock, 0, 0, POLL_MS);
process.kill(process.pid, "SIGKILL");
