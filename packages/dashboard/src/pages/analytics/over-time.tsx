import type { ConversationAnalytics } from "@foyer/contract";
import { lazy, Suspense, useState } from "react";
import type { BarPart } from "../../components/day-chart.tsx";
import { formatDay } from "../../components/day-text.ts";
import { Section } from "../../components/page.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { Skeleton } from "../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { type Day, fillDays } from "./analytics-range.ts";

const DayChart = lazy(async () => ({ default: (await import("../../components/day-chart.tsx")).DayChart<Day> }));

type Part = BarPart<Day> & { swatch: string };

/** The metrics of the chart. The first part of a bar is at its bottom. */
const metrics = {
  conversations: {
    label: "Conversations",
    parts: [
      {
        name: "Conversations",
        fill: "var(--ink)",
        swatch: "bg-ink",
        value: ({ conversations }) => conversations,
      },
    ],
  },
  replies: {
    label: "Replies",
    parts: [
      {
        name: "Answered",
        fill: "var(--ink)",
        swatch: "bg-ink",
        value: ({ replies, failedReplies }) => Math.max(0, replies - failedReplies),
      },
      {
        name: "Failed",
        fill: "var(--color-lamp)",
        swatch: "bg-lamp",
        value: ({ failedReplies }) => failedReplies,
      },
    ],
  },
  ratings: {
    label: "Ratings",
    parts: [
      { name: "Rated good", fill: "var(--ink)", swatch: "bg-ink", value: ({ ratedUp }) => Math.max(0, ratedUp) },
      {
        name: "Rated bad",
        fill: "var(--color-lamp)",
        swatch: "bg-lamp",
        value: ({ ratedDown }) => Math.max(0, ratedDown),
      },
    ],
  },
  tokens: {
    label: "Tokens",
    parts: [
      { name: "Input", fill: "var(--edge)", swatch: "bg-edge", value: ({ inputTokens }) => inputTokens },
      { name: "Output", fill: "var(--ink)", swatch: "bg-ink", value: ({ outputTokens }) => outputTokens },
    ],
  },
} satisfies Record<string, { label: string; parts: readonly Part[] }>;

type Metric = keyof typeof metrics;
const choices = (Object.keys(metrics) as Metric[]).map((value) => ({ value, label: metrics[value].label }));

/** A chart of one metric by day, and a table of all metrics. */
export function OverTime({ data }: { data: ConversationAnalytics }) {
  const [metric, setMetric] = useState<Metric>("conversations");
  const { label, parts }: { label: string; parts: readonly Part[] } = metrics[metric];
  return (
    <Section title="Over time" description="Days are in UTC. A rating counts on the day of the reply.">
      <SegmentedControl label="Figure" value={metric} options={choices} onChange={setMetric} />
      <figure className="min-w-0" aria-label={`${label} by day; the table below has the figures`}>
        <figcaption aria-hidden className="mb-3 flex min-h-5 flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
          {parts.map(({ name, swatch }) => (
            <span key={name} className="inline-flex items-center gap-2">
              <span className={`inline-block size-2.5 rounded-[2px] ${swatch}`} />
              {name}
            </span>
          ))}
        </figcaption>
        <div aria-hidden className="h-64 overflow-x-clip">
          <Suspense fallback={<Skeleton className="h-64" />}>
            <DayChart
              days={fillDays(data)}
              parts={parts}
              tip={(day) =>
                parts.map(({ name, value }) => (
                  <p key={name} className="flex justify-between gap-6 text-soft">
                    {name} <span className="text-ink">{value(day).toLocaleString()}</span>
                  </p>
                ))
              }
            />
          </Suspense>
        </div>
      </figure>
      <DaysTable days={data.days} />
    </Section>
  );
}

/** The newest day first; days without activity are left out. */
function DaysTable({ days }: { days: ConversationAnalytics["days"] }) {
  return (
    <details className="min-w-0">
      <summary className="w-fit text-soft underline-offset-2 hover:underline">Show as a table</summary>
      <div className="mt-2">
        <Table
          label="Figures by day"
          head={
            <>
              <Th>Day</Th>
              <Th isNumber>Conversations</Th>
              <Th isNumber>Replies</Th>
              <Th isNumber>Failed</Th>
              <Th isNumber>Rated good</Th>
              <Th isNumber>Rated bad</Th>
              <Th isNumber>Input tokens</Th>
              <Th isNumber>Output tokens</Th>
            </>
          }
        >
          {days.toReversed().map((day) => (
            <Tr key={day.date}>
              <Td className="whitespace-nowrap">{formatDay(day.date)}</Td>
              <Td isNumber>{day.conversations.toLocaleString()}</Td>
              <Td isNumber>{day.replies.toLocaleString()}</Td>
              <Td isNumber>{day.failedReplies.toLocaleString()}</Td>
              <Td isNumber>{day.ratedUp.toLocaleString()}</Td>
              <Td isNumber>{day.ratedDown.toLocaleString()}</Td>
              <Td isNumber>{day.inputTokens.toLocaleString()}</Td>
              <Td isNumber>{day.outputTokens.toLocaleString()}</Td>
            </Tr>
          ))}
        </Table>
      </div>
    </details>
  );
}
