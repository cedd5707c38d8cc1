import type { Reporter, TestModule, Vitest } from "vitest/node";

/**
 * Fails the run when a test was skipped or is a todo, because a passing run must have run everything. Tests that `-t`
 * excludes do not count.
 */
export class NoSkippedTests implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#vitest?.config.testNamePattern) return;
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests("skipped")].map((test) => `  ${module.relativeModuleId}: ${test.fullName}`),
    );
    if (skipped.length === 0) return;
    console.error(`Skipped tests fail the run (${skipped.length}):\n${skipped.join("\n")}`);
    process.exitCode = 1;
  }
}
