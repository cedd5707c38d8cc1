import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that start a browser or whole server processes. Each of these files takes 5 to 90 s. */
const slow = /\/(e2e|test\/faults)\/|\/server\/src\/(main|cli)\.test\.ts$/;

/**
 * Starts the slow files first. Vitest orders files by the duration of earlier runs, and in a fresh clone by their size.
 * A slow file that happens to be short would then run last, while the other workers are idle.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
