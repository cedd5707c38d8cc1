import type { HandoffAnalytics } from "@foyer/contract";
import type { AnswerTimeColumns, HandoffDayRow } from "../../db/tables/handoff.ts";
import { summarizeAnswerTimes } from "./answer-times.ts";

/** The counters of one cause over a range. */
export type HandoffSums = Omit<HandoffDayRow, "agentId" | "day">;

type Figures = Omit<HandoffAnalytics, "requested" | "answerTimes" | "causes">;

/** @param started how many conversations started in the range */
export function summarizeHandoffs(causes: readonly HandoffSums[], started: number): HandoffAnalytics {
  const all = causes.reduce(add, nothing);
  // Leave out takeovers without a request, because they answer no request and would lower the mean times.
  const requests = causes.filter(({ cause }) => cause !== "member");
  const asked = requests.reduce(add, nothing);
  const { count, conversations, rate } = toFigures(all, started);
  return {
    ...toFigures(asked, started),
    count,
    conversations,
    rate,
    requested: asked.requested,
    answerTimes: summarizeAnswerTimes(requests),
    causes: causes.map((row) => {
      const ofCause = toFigures(row, started);
      return { cause: row.cause, ...ofCause, waitMs: row.cause === "member" ? null : ofCause.waitMs };
    }),
  };
}

type Sums = Omit<HandoffSums, "cause" | keyof AnswerTimeColumns>;

const nothing: Sums = { requested: 0, conversations: 0, taken: 0, waitedMs: 0, answered: 0, answerMs: 0, inTime: 0 };

function add(a: Sums, b: Sums): Sums {
  return {
    requested: a.requested + b.requested,
    conversations: a.conversations + b.conversations,
    taken: a.taken + b.taken,
    waitedMs: a.waitedMs + b.waitedMs,
    answered: a.answered + b.answered,
    answerMs: a.answerMs + b.answerMs,
    inTime: a.inTime + b.inTime,
  };
}

function toFigures(sums: Sums, started: number): Figures {
  const { requested, conversations, taken, waitedMs, answered, answerMs, inTime } = sums;
  return {
    count: requested,
    conversations,
    rate: started === 0 ? null : (conversations / started) * 100,
    taken,
    answered,
    inTime,
    waitMs: mean(waitedMs, taken),
    answerMs: mean(answerMs, answered),
  };
}

function mean(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round(sum / count);
}
