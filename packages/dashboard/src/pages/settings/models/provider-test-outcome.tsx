import { FoyerError, type Output } from "@foyer/sdk";
import type { UseMutationResult } from "@tanstack/react-query";
import { toSentence } from "../../../components/use-draft.ts";

/** The result of a connection test. Its space is reserved from the start of the test. */
export function TestOutcome({
  test: { data, error, isPending, isIdle },
}: {
  test: Pick<UseMutationResult<Output<"testProvider">, Error, never>, "data" | "error" | "isPending" | "isIdle">;
}) {
  const problem = (error && describeError(error)) ?? data?.error;
  return (
    <p role="status" className={`text-sm ${problem ? "text-wrong" : "text-soft"}`}>
      {isPending && "Testing…"}
      {!isPending && problem && toSentence(problem)}
      {!isPending && !problem && !isIdle && data && `Responded in ${data.durationMs} ms.`}
    </p>
  );
}

/** Prefers the message of a field, which is more specific. */
function describeError(error: Error): string {
  return (error instanceof FoyerError && error.details[0]?.message) || error.message;
}
