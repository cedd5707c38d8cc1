import { Status } from "../../components/status.tsx";
import { checkLabels, describeCheck } from "./check-labels.ts";
import type { TestRun } from "./use-test-runs.ts";

/** Whether a test has passed, in a word or two. */
export function RunStatus({ run }: { run: TestRun | undefined }) {
  if (!run) return <span className="text-soft">Not run yet</span>;
  const { result } = run;
  if (result === null) return <Status tone="live">Running</Status>;
  const { passed, passes, runs } = result;
  const once = passed ? "Passed" : "Failed";
  return <Status tone={passed ? "fine" : "wrong"}>{runs === 1 ? once : `Passed ${passes} of ${runs}`}</Status>;
}

/** The checks that failed, each with what came instead. */
export function RunFailures({ run }: { run: TestRun | undefined }) {
  const failures = run?.result?.failures ?? [];
  if (failures.length === 0) return null;
  return (
    <ul aria-label="Failed checks" className="grid gap-2 border-s-2 border-wrong ps-3">
      {failures.map(({ check, got }) => (
        <li key={JSON.stringify(check)} className="min-w-0 wrap-anywhere">
          <p>{check ? describeCheck(check) : "The agent could not reply"}</p>
          <p className="text-sm text-soft">
            {check?.kind === "judge" ? `${checkLabels.judge.name}: ` : "Got: "}
            {got}
          </p>
        </li>
      ))}
    </ul>
  );
}
