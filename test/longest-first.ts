import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests with a browser or whole server processes; each of these files takes 5 to 90 s. */
const slow = /\/(e2e|test\/faults)\/|\/server\/src\/(main|cli)\.test\.ts$/;

/**
 * Starts the slow files first. Vitest orders by the duration of earlier runs and, in a fresh clone, by the size of the
 * file; then a slow file that happens to be short runs last while the other worker has nothing left to do.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
