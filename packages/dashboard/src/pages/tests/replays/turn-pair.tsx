import type { Replay, ReplayRun, ReplayTurn, ReplayVerdict } from "@foyer/contract";
import { Link } from "@tanstack/react-router";
import { formatCost } from "../../../components/cost-text.ts";
import { formatDuration } from "../../../components/duration-text.ts";
import { pluralize } from "../../../components/plural.ts";
import { Status } from "../../../components/status.tsx";
import { checkName, describeCall, describeDivergence, outcomeLabels, versionLabel } from "./replay-labels.ts";

/** A visitor's message and what both versions answer, beside each other. */
export function TurnPair({ agentId, replay, turn }: { agentId: string; replay: Replay; turn: ReplayTurn }) {
  const { conversationId, question, outcome, baseline, candidate, verdict, modelVerdict } = turn;
  const { from, to, estimate } = replay;
  const names = { baseline: versionLabel(from), candidate: versionLabel(to) };
  const preferences = [
    ...(verdict ? [describePreference("Your team", verdict, names)] : []),
    ...(modelVerdict ? [describePreference("The model", modelVerdict, names)] : []),
  ];
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] gap-3 border-b border-line py-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Status tone={outcomeLabels[outcome].tone}>{outcomeLabels[outcome].name}</Status>
        {preferences.length > 0 && <span className="text-soft">{preferences.join(" ")}</span>}
        <Link
          to="/agents/$agentId/conversations/$conversationId"
          params={{ agentId, conversationId }}
          className="ms-auto underline underline-offset-2"
        >
          Open conversation
        </Link>
      </div>
      <Question text={question} />
      <div className="grid gap-3 md:grid-cols-2">
        <Run title={names.baseline} note="unchanged" run={baseline} currency={estimate.currency} />
        <Run title={names.candidate} note="changed" run={candidate} currency={estimate.currency} />
      </div>
    </li>
  );
}

function describePreference(who: string, verdict: ReplayVerdict, names: Record<"baseline" | "candidate", string>) {
  return verdict === "tie" ? `${who} sees no difference.` : `${who} prefers ${names[verdict]}.`;
}

/** What the visitor wrote. */
export function Question({ text }: { text: string }) {
  return (
    <blockquote
      dir="auto"
      className="w-fit max-w-[85%] rounded-xl rounded-ss-sm bg-line px-4 py-2.5 whitespace-pre-wrap wrap-anywhere"
    >
      {text || <span className="text-soft">A message without text</span>}
    </blockquote>
  );
}

function Run({ title, note, run, currency }: { title: string; note: string; run: ReplayRun; currency: string }) {
  const { tokens, cost, durationMs, divergence, failedChecks, problem } = run;
  const figures = [
    pluralize(tokens, "token"),
    cost === null ? "unknown cost" : formatCost(cost, currency),
    formatDuration(durationMs),
  ];
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would be a landmark, of which the page would have dozens
    <div
      role="group"
      aria-label={title}
      className="grid content-start gap-2 rounded-lg border border-line bg-raised p-4"
    >
      <h3 className="font-medium">
        {title} <span className="font-normal text-soft">{note}</span>
      </h3>
      <RunContent run={run} />
      {divergence && <p className="border-s-2 border-wrong ps-3 wrap-anywhere">{describeDivergence(divergence)}</p>}
      {problem && <p className="border-s-2 border-wrong ps-3 wrap-anywhere">{problem}</p>}
      {failedChecks.length > 0 && (
        <ul aria-label="Failed checks" className="grid gap-1 border-s-2 border-wrong ps-3">
          {failedChecks.map(({ check, got }) => (
            <li key={`${check} ${got}`} className="wrap-anywhere">
              {checkName(check)}: <span className="text-soft">{got}</span>
            </li>
          ))}
        </ul>
      )}
      <p className="text-sm text-soft tabular-nums">{figures.join(" · ")}</p>
    </div>
  );
}

/** The calls of tools and the text of a reply. */
export function RunContent({ run: { calls, text } }: { run: ReplayRun }) {
  return (
    <>
      {calls.length > 0 && (
        <ul aria-label="Calls of tools" className="grid gap-1">
          {calls.map((call, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a reply may make the same call twice
            <li key={index} className="text-sm text-soft wrap-anywhere">
              Calls {describeCall(call)}
            </li>
          ))}
        </ul>
      )}
      <p dir="auto" className="max-w-[68ch] whitespace-pre-wrap wrap-anywhere">
        {text || <span className="text-soft">No text</span>}
      </p>
    </>
  );
}
