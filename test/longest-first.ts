import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Matches tests that start a browser or whole server processes. Each of these files takes 5 to 90 s, most of which is
 * CPU time.
 */
const slow = /\/(e2e|test\/faults)\/|\/server\/src\/(main|cli)\.test\.ts$/;

/**
 * Starts the slow files first. Vitest orders files by the duration of earlier runs, and in a fresh clone by their size.
 * A slow file that happens to be short would then run last, while the other workers are idle.
 *
 * One of the other files follows every two slow files. The longest of the other files mostly wait for retries and
 * timeouts: in 40 s they use 4 s of CPU time. When all of them ran after the slow files, the processor was idle half of
 * the time for more than a minute.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    const others = sorted.filter((file) => !isSlow(file));
    const mixed = sorted.filter(isSlow).flatMap((file, index) => {
      const between = index % 2 === 0 ? others.slice(index / 2, index / 2 + 1) : [];
      return [file, ...between];
    });
    // A set keeps the position at which a file occurs first.
    return [...new Set([...mixed, ...others])];
  }
}
