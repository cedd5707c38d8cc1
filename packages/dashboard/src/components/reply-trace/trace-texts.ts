import type { TraceStep } from "@foyer/contract";
import { pluralize } from "../plural.ts";
import { formatBytes } from "../submitted-answers.ts";
import { toolTitle } from "../tool-title.ts";

/** The title of a step for people. */
export function stepTitle({ kind, name }: Pick<TraceStep, "kind" | "name">): string {
  if (kind === "tool") return toolTitle(name);
  return name === "follow_ups" ? "Follow-up questions" : "Model";
}

const ends: Record<string, string> = {
  end_turn: "finished",
  tool_use: "called tools",
  max_tokens: "reached its token limit",
  content_filter: "cut off by the content filter",
};

/** What else is known of a step: why it stopped, its failed attempts, and the size of a tool's result. */
export function stepFacts({ stopReason, retries, bytes }: Pick<TraceStep, "stopReason" | "retries" | "bytes">): string {
  const facts = [
    ...(stopReason === null ? [] : [ends[stopReason] ?? stopReason]),
    ...(retries === 0 ? [] : [pluralize(retries, "failed attempt")]),
    ...(bytes === null ? [] : [`${formatBytes(bytes)} result`]),
  ];
  return facts.join(", ");
}

type Tokens = Record<"inputTokens" | "cachedInputTokens" | "outputTokens" | "reasoningTokens", number | null>;

/** The tokens of a step or reply: what went in and out, and which parts were cached or thoughts. */
export function tokenLines(tokens: Tokens): string[] {
  const { inputTokens, cachedInputTokens, outputTokens, reasoningTokens } = tokens;
  if (inputTokens === null && outputTokens === null) return ["not counted"];
  return [
    `${(inputTokens ?? 0).toLocaleString()} in${part(cachedInputTokens, "cached")}`,
    `${(outputTokens ?? 0).toLocaleString()} out${part(reasoningTokens, "reasoning")}`,
  ];
}

const part = (count: number | null, name: string) => (count ? ` (${count.toLocaleString()} ${name})` : "");

/** Where a step is on the time axis of its reply, in percent. `firstToken` is within the bar. */
export type Bar = { start: number; width: number; firstToken: number | null };

/** The bars of all steps on one time axis, which begins with the first step and ends with the last one. */
export function toBars(steps: ReadonlyArray<Pick<TraceStep, "startedAt" | "durationMs" | "firstTokenMs">>): Bar[] {
  const times = steps.map(({ startedAt, durationMs }) => ({ from: Date.parse(startedAt), durationMs }));
  const begin = Math.min(...times.map(({ from }) => from));
  const end = Math.max(...times.map(({ from, durationMs }) => from + durationMs));
  const whole = Math.max(end - begin, 1);
  return steps.map(({ firstTokenMs, durationMs }, index) => ({
    start: (((times[index]?.from ?? begin) - begin) / whole) * 100,
    width: (durationMs / whole) * 100,
    firstToken: firstTokenMs === null || durationMs === 0 ? null : Math.min(firstTokenMs / durationMs, 1) * 100,
  }));
}
