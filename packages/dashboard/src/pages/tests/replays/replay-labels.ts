import type { ReplayRun, ReplayStatus } from "@foyer/contract";
import type { CheckKind, ReplayOutcome } from "@foyer/contract/rules/evaluations";
import { toolTitle } from "../../../components/tool-title.ts";
import { checkLabels } from "../check-labels.ts";

/** The outcomes of a turn, from the least to the most different. */
export const outcomeLabels: Record<
  ReplayOutcome,
  { name: string; tone: "fine" | "plain" | "warning" | "wrong"; line: string }
> = {
  identical: { name: "Identical", tone: "fine", line: "The same calls of tools, and the same text." },
  equal: {
    name: "Equal in effect",
    tone: "fine",
    line: "The same calls of tools in other words, and no check that fails only with the changed version.",
  },
  diverged: {
    name: "Diverged",
    tone: "warning",
    line: "The changed version made another call of a tool, or left out a recorded one. The conversation ends there.",
  },
  failed_checks: {
    name: "Failed checks",
    tone: "wrong",
    line: "The changed version fails a check that the unchanged one passes.",
  },
};

export const statusLabels: Record<ReplayStatus, { name: string; tone: "live" | "fine" | "warning" }> = {
  running: { name: "Running", tone: "live" },
  finished: { name: "Finished", tone: "fine" },
  stopped: { name: "Stopped", tone: "warning" },
};

/** A version as it is named within a text. */
export function versionLabel(version: number | string): string {
  return version === "draft" ? "Draft" : `Version ${version}`;
}

/** The checks of a replay that compare with the recorded reply and the unchanged version. */
const comparedChecks: Record<string, string> = {
  language: "Another language",
  longer: "Longer",
  shorter: "Shorter",
  invented_fact: "Invented fact",
  lost_fact: "Lost fact",
  lost_sentence: "Lost sentence",
  refuses: "Declining",
  reply: "No reply",
};

/** The name of a check of a replay, such as `invented_fact` or `says`. */
export function checkName(check: string): string {
  return comparedChecks[check] ?? checkLabels[check as CheckKind]?.name ?? check;
}

/** What a version did that was not recorded, as a sentence. */
export function describeDivergence({ kind, name, arguments: values }: NonNullable<ReplayRun["divergence"]>): string {
  const call = describeCall({ name, arguments: values });
  return kind === "other_call" ? `Not in the recording: ${call}` : `Left out: ${call}`;
}

/** A call of a tool, such as `Rental price {"days":2}`. */
export function describeCall({ name, arguments: values }: { name: string; arguments: unknown }): string {
  const isEmpty = values === null || values === undefined || JSON.stringify(values) === "{}";
  return isEmpty ? toolTitle(name) : `${toolTitle(name)} ${JSON.stringify(values)}`;
}
