import { FoyerError, type Output } from "@foyer/sdk";
import type { UseMutationResult } from "@tanstack/react-query";
import { toSentence } from "../../../components/use-draft.ts";

/** How a try to reach a provider went, in words; its place is there from the beginning of the try. */
export function TestOutcome({
  test: { data, error, isPending, isIdle },
}: {
  test: Pick<UseMutationResult<Output<"testProvider">, Error, never>, "data" | "error" | "isPending" | "isIdle">;
}) {
  const problem = (error && reasonOf(error)) ?? data?.error;
  return (
    <p role="status" className={`text-sm ${problem ? "text-wrong" : "text-soft"}`}>
      {isPending && "Testing…"}
      {!isPending && problem && toSentence(problem)}
      {!isPending && !problem && !isIdle && data && `Responded in ${data.durationMs} ms.`}
    </p>
  );
}

/** What is wrong with a field says more than that something is. */
function reasonOf(error: Error): string {
  return (error instanceof FoyerError && error.details[0]?.message) || error.message;
}
