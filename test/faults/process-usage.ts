import { readdirSync, readFileSync } from "node:fs";
import { expect } from "vitest";

export type ProcessUsage = { rssBytes: number; files: number };

/** Resident memory and open file descriptors of a process, as Linux reports them. */
export function processUsage(pid: number | undefined): ProcessUsage {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return { rssBytes: Number(kilobytes) * 1024, files: readdirSync(`/proc/${pid}/fd`).length };
}

/** The minimum number of samples in a quarter that show a trend. */
const MIN_SAMPLES = 4;
/** The ratio between the last quarters that garbage collection and the moment of the sample can explain. */
const NOISE = 1.1;

/** Asserts that memory and open files did not grow over the second half of a run, if it was long enough to tell. */
export function expectFlat(samples: readonly ProcessUsage[]): void {
  const quarter = Math.floor(samples.length / 4);
  if (quarter < MIN_SAMPLES) return;
  for (const figure of ["rssBytes", "files"] as const) {
    const medianOf = (some: readonly ProcessUsage[]) =>
      some.map((sample) => sample[figure]).toSorted((a, b) => a - b)[Math.floor(some.length / 2)] ?? 0;
    const before = medianOf(samples.slice(-2 * quarter, -quarter));
    expect(medianOf(samples.slice(-quarter)), `${figure} at the end, ${before} before`).toBeLessThan(before * NOISE);
  }
}
