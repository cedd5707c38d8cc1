import { expect } from "vitest";

/** How much larger the large input is. Linear work takes 16 times as long, and quadratic work 256 times. */
const FACTOR = 16;
const MAX_RATIO = 128;
/** The shortest useful measurement in milliseconds. Shorter ones are mostly noise. */
const MIN_BASELINE = 1;
const ROUNDS = 3;

/** The CPU time of this thread in milliseconds. Unlike wall time, it excludes other processes. */
function cpuTime(run: () => unknown): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Asserts that the work grows far less than quadratically, by comparing an input of this size with a smaller one. */
export function expectLinear(size: number, work: (size: number) => unknown): void {
  const baseline = Math.min(...Array.from({ length: ROUNDS }, () => cpuTime(() => work(size / FACTOR))));
  const limit = MAX_RATIO * Math.max(baseline, MIN_BASELINE);
  let fastest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && fastest > limit; round++) {
    fastest = Math.min(
      fastest,
      cpuTime(() => work(size)),
    );
  }
  expect(fastest, `milliseconds for a size of ${size}; ${baseline} for one of ${size / FACTOR}`).toBeLessThan(limit);
}
