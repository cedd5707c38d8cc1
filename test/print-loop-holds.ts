import { writeSync } from "node:fs";

const TICK_MS = 5;

/**
 * Preloaded into a server. On SIGUSR2 it prints the longest time for which the event loop was blocked since the last
 * signal, in milliseconds of wall time and of this thread's CPU time, which excludes other processes.
 */
let at = performance.now();
let used = process.threadCpuUsage();
let longest = { wall: 0, cpu: 0 };

function measure(): void {
  const now = performance.now();
  const { user, system } = process.threadCpuUsage(used);
  longest = {
    wall: Math.max(longest.wall, now - at - TICK_MS),
    cpu: Math.max(longest.cpu, (user + system) / 1_000),
  };
  at = now;
  used = process.threadCpuUsage();
}

setInterval(measure, TICK_MS).unref();
process.on("SIGUSR2", () => {
  measure();
  writeSync(1, `loop-held ${JSON.stringify(longest)}\n`);
  longest = { wall: 0, cpu: 0 };
});
