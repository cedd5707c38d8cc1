import type { ConversationAnalytics, ConversationCounts } from "@foyer/contract";
import type { BarPart } from "../../components/bar-chart.tsx";
import { describeCosts, formatCost } from "../../components/cost-text.ts";
import { formatPercent } from "../../components/day-text.ts";
import { countAttachments, percentOf } from "./analytics-range.ts";

const number = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const ink = "color-mix(in srgb, var(--ink) 85%, transparent)";

export type Metric = {
  id: "conversations" | "replies" | "ratings" | "failed" | "tokens" | "attachments" | "cost";
  label: string;
  /** The figure of a whole range as text, and what it is made of. */
  value: (totals: ConversationCounts) => string;
  note: (totals: ConversationCounts) => string;
  /** The number that is compared with the period before; `null` if there is none. */
  compared: (totals: ConversationCounts) => number | null;
  /** A difference between shares is in points, and others are in percent. */
  isShare: boolean;
  /** What the chart calls the figure, and the parts of a day's bar, from the bottom. */
  chart: string;
  parts: ReadonlyArray<BarPart<ConversationCounts>>;
  /** A value of the chart as text. */
  format: (value: number) => string;
};

const shareOfGood = ({ ratedUp, ratedDown }: ConversationCounts) => percentOf(ratedUp, ratedUp + ratedDown);
const tokensOf = ({ inputTokens, outputTokens }: ConversationCounts) => inputTokens + outputTokens;

const countedMetrics: readonly Metric[] = [
  {
    id: "conversations",
    label: "Conversations",
    value: ({ conversations }) => number.format(conversations),
    note: () => "",
    compared: ({ conversations }) => conversations,
    isShare: false,
    chart: "Conversations",
    parts: [{ name: "Conversations", fill: ink, value: ({ conversations }) => conversations }],
    format: number.format,
  },
  {
    id: "replies",
    label: "Replies",
    value: ({ replies }) => number.format(replies),
    note: ({ conversations, replies }) =>
      conversations > 0 ? `${(replies / conversations).toFixed(1)} per conversation` : "",
    compared: ({ replies }) => replies,
    isShare: false,
    chart: "Replies",
    parts: [{ name: "Replies", fill: ink, value: ({ replies }) => replies }],
    format: number.format,
  },
  {
    id: "ratings",
    label: "Rated good",
    value: (totals) => {
      const good = shareOfGood(totals);
      return good === null ? "–" : formatPercent(good);
    },
    note: ({ ratedUp, ratedDown }) =>
      ratedUp + ratedDown === 0 ? "No ratings yet" : `${number.format(ratedUp)} good, ${number.format(ratedDown)} bad`,
    compared: shareOfGood,
    isShare: true,
    chart: "Ratings",
    // A rating that a visitor took back on a later day can make a day's count negative.
    parts: [
      { name: "Good", fill: ink, value: ({ ratedUp }) => Math.max(0, ratedUp) },
      { name: "Bad", fill: "var(--color-lamp)", value: ({ ratedDown }) => Math.max(0, ratedDown) },
    ],
    format: number.format,
  },
  {
    id: "failed",
    label: "Failed replies",
    value: ({ failedReplies }) => number.format(failedReplies),
    note: ({ failedReplies, replies }) => {
      const failed = percentOf(failedReplies, replies);
      return failed === null ? "" : `${formatPercent(failed)} of replies`;
    },
    compared: ({ failedReplies }) => failedReplies,
    isShare: false,
    chart: "Failed replies",
    parts: [{ name: "Failed replies", fill: ink, value: ({ failedReplies }) => failedReplies }],
    format: number.format,
  },
  {
    id: "tokens",
    label: "Tokens",
    value: (totals) => compact.format(tokensOf(totals)),
    note: ({ inputTokens, outputTokens }) => `${compact.format(inputTokens)} in, ${compact.format(outputTokens)} out`,
    compared: tokensOf,
    isShare: false,
    chart: "Tokens",
    parts: [
      { name: "Input", fill: "var(--edge)", value: ({ inputTokens }) => inputTokens },
      { name: "Output", fill: ink, value: ({ outputTokens }) => outputTokens },
    ],
    format: number.format,
  },
];

const attachmentsMetric: Metric = {
  id: "attachments",
  label: "Attachments",
  value: (totals) => number.format(countAttachments(totals)),
  note: ({ visitorAttachments, memberAttachments }) =>
    `${number.format(visitorAttachments)} from visitors, ${number.format(memberAttachments)} from your team`,
  compared: countAttachments,
  isShare: false,
  chart: "Attachments",
  parts: [
    { name: "From visitors", fill: ink, value: ({ visitorAttachments }) => visitorAttachments },
    { name: "From your team", fill: "var(--edge)", value: ({ memberAttachments }) => memberAttachments },
  ],
  format: number.format,
};

/**
 * The figures of the analytics page, each with its chart. Attachments are left out if there are none, and the cost as
 * long as no reply has a known one.
 */
export function listMetrics({ totals, currency }: Pick<ConversationAnalytics, "totals" | "currency">): Metric[] {
  return [
    ...countedMetrics,
    ...(countAttachments(totals) > 0 ? [attachmentsMetric] : []),
    ...(totals.cost > 0 ? [costMetric(currency)] : []),
  ];
}

function costMetric(currency: string): Metric {
  const format = (cost: number) => formatCost(cost, currency);
  return {
    id: "cost",
    label: "Cost",
    value: ({ cost }) => format(cost),
    note: ({ replies, cost, unknownCostReplies }) => {
      const [, leftOut] = describeCosts({ cost, unknownCostReplies }, currency);
      return leftOut || (replies > 0 ? `${format(cost / replies)} per reply` : "");
    },
    compared: ({ cost }) => cost,
    isShare: false,
    chart: "Cost",
    parts: [{ name: "Cost", fill: ink, value: ({ cost }) => cost }],
    format,
  };
}

/**
 * The change of a metric since the period before, such as `+12%` or `−3 points`; an empty text if there was nothing to
 * compare with.
 */
export function compareMetric(metric: Metric, now: ConversationCounts, before: ConversationCounts): string {
  const value = metric.compared(now);
  const earlier = metric.compared(before);
  if (value === null || earlier === null || (!metric.isShare && earlier === 0)) return "";
  const change = Math.round(metric.isShare ? value - earlier : ((value - earlier) / earlier) * 100);
  const sign = change > 0 ? "+" : change < 0 ? "−" : "±";
  return `${sign}${number.format(Math.abs(change))}${metric.isShare ? " points" : "%"}`;
}
