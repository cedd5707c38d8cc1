import { FoyerError, type Output } from "@foyer/sdk";
import { type UseMutationResult, useMutation } from "@tanstack/react-query";
import { LabeledJson } from "../../../components/json-block.tsx";
import { toSentence } from "../../../components/use-draft.ts";
import { api } from "../../../data/api.ts";

/** Sends a real message to the provider. */
export function useProviderTest(provider: Output<"listProviders">[number]["provider"]) {
  return useMutation({ mutationFn: () => api.testProvider({ provider, body: { sendMessage: true } }) });
}

/** The result of a connection test. Its space is reserved from the start of the test. */
export function TestOutcome({
  test: { data, error, isPending, isIdle },
}: {
  test: Pick<UseMutationResult<Output<"testProvider">, Error, never>, "data" | "error" | "isPending" | "isIdle">;
}) {
  const problem = (error && describeError(error)) ?? data?.error;
  return (
    <>
      <p role="status" className={`text-sm ${problem ? "text-wrong" : "text-soft"}`}>
        {isPending && "Testing…"}
        {!isPending && problem && toSentence(problem)}
        {!isPending && !problem && !isIdle && data && describeResult(data)}
      </p>
      {!isPending && data && data.exchanges.length > 0 && <Exchanges exchanges={data.exchanges} />}
    </>
  );
}

/** What the test has shown, as sentences. */
function describeResult({ durationMs, models, streaming, toolCalls, images }: Output<"testProvider">): string {
  const listed = models.length === 0 ? [] : [`${models.length} ${models.length === 1 ? "model" : "models"} listed`];
  const abilities = [
    streaming === null ? null : streaming ? "streams" : "does not stream",
    toolCalls === null ? null : toolCalls ? "calls tools" : "did not call the tool",
    images === null ? null : images ? "accepts pictures" : "refuses pictures",
  ].filter((ability) => ability !== null);
  const shown = [...listed, ...abilities].join(", ");
  return `Responded in ${durationMs} ms.${shown === "" ? "" : ` ${toSentence(shown)}`}`;
}

type Exchange = Output<"testProvider">["exchanges"][number];

/** What was sent to the provider and received, for support requests. */
function Exchanges({ exchanges }: { exchanges: readonly Exchange[] }) {
  return (
    <details className="min-w-0 text-sm">
      <summary className="text-soft">Requests and responses ({exchanges.length})</summary>
      <ol className="mt-2 grid gap-4">
        {exchanges.map(({ request, response }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
          <li key={index} className="grid min-w-0 gap-2">
            <p className="font-mono break-all">
              {request.method} {request.url}
            </p>
            <LabeledJson label={`Request ${index + 1}`} value={`${toLines(request.headers)}${request.body ?? ""}`} />
            {response ? (
              <LabeledJson
                label={`Response ${index + 1}: HTTP ${response.status}${response.isTruncated ? ", cut off" : ""}`}
                value={`${toLines(response.headers)}${response.body}`}
              />
            ) : (
              <p className="text-soft">No response was received.</p>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

/** Headers as in HTTP, with the blank line that precedes the body. */
function toLines(headers: Record<string, string>): string {
  return [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", ""].join("\n");
}

/** Prefers the message of a field, which is more specific. */
function describeError(error: Error): string {
  return (error instanceof FoyerError && error.details[0]?.message) || error.message;
}
