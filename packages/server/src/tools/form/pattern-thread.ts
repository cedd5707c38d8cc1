import { parentPort } from "node:worker_threads";
import { compileRegExp } from "@foyer/contract/rules/form-pattern";

/** Receives `{ pattern, value }` and responds whether the pattern matches, or null if the engine gives up. */
parentPort?.on("message", ({ pattern, value }: { pattern: string; value: string }) => {
  parentPort?.postMessage({ matches: match(pattern, value) });
});
// The time limit of a value begins when the thread can receive it.
parentPort?.postMessage("ready");

function match(pattern: string, value: string): boolean | null {
  try {
    return compileRegExp(pattern).test(value);
  } catch {
    return null;
  }
}
