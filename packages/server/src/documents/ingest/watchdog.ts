import process from "node:process";
import { workerData } from "node:worker_threads";

/**
 * Runs in a thread of the extraction process, because a file that takes all memory or loops keeps the main thread from
 * checking itself. It ends the process when that grows beyond its limit or has lost its parent.
 */
const POLL_MS = 10;
/** Below the limit of 512 MB, because a process can allocate dozens of megabytes between two looks. */
const MAX_RSS = 432 * 1024 * 1024;

const { parent } = workerData as { parent: number };
const clock = new Int32Array(new SharedArrayBuffer(4));

while (process.ppid === parent && process.memoryUsage.rss() < MAX_RSS) Atomics.wait(clock, 0, 0, POLL_MS);
process.kill(process.pid, "SIGKILL");
