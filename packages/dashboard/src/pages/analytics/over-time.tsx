import type { ConversationAnalytics } from "@foyer/contract";
import { BarChart, Legend } from "../../components/bar-chart.tsx";
import { formatDay, selectLabelledDays } from "../../components/day-text.ts";
import { Section } from "../../components/page.tsx";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { countAttachments, fillDays } from "./analytics-range.ts";
import { CostCell } from "./cost-cell.tsx";
import type { Metric } from "./metrics.ts";

/** A chart of one metric by day with the period before, and a table of all metrics. */
export function OverTime({
  data,
  before,
  metric,
}: {
  data: ConversationAnalytics;
  /** The period before, once it is known. */
  before: ConversationAnalytics | undefined;
  metric: Metric;
}) {
  const { chart, parts, format } = metric;
  const days = fillDays(data);
  // A line at zero would only cover the axis.
  const previous = before && before.days.length > 0 ? fillDays(before) : undefined;
  const total = (day: (typeof days)[number]) => parts.reduce((sum, { value }) => sum + value(day), 0);
  const labelled = new Set(selectLabelledDays(days.map(({ day }) => day)));
  const today = new Date().toISOString().slice(0, 10);
  return (
    <Section title={`${chart} by day`} description="Days are in UTC. A rating counts on the day of the reply.">
      <figure className="grid min-w-0 gap-3" aria-label={`${chart} by day; the table below has the figures`}>
        {(parts.length > 1 || previous) && (
          <figcaption>
            <Legend parts={parts} hasPrevious={previous !== undefined} />
          </figcaption>
        )}
        <BarChart
          name={`${chart} by day`}
          items={days}
          parts={parts}
          toLabel={({ day }) => formatDay(day)}
          isLabelled={({ day }) => labelled.has(day)}
          toFigures={(day, index) => {
            const earlier = previous?.[index];
            return [
              ...parts.map(({ name, value }) => [name, format(value(day))] as const),
              ...(earlier ? [[formatDay(earlier.day), format(total(earlier))] as const] : []),
            ];
          }}
          previous={previous?.map(total)}
          live={days.find(({ day }) => day === today)}
        />
      </figure>
      <DaysTable data={data} />
    </Section>
  );
}

/** The newest day first; days without activity are left out. */
function DaysTable({ data: { days, totals, currency } }: { data: ConversationAnalytics }) {
  const hasAttachments = countAttachments(totals) > 0;
  const hasCost = totals.cost > 0;
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
              {hasAttachments && (
                <>
                  <Th isNumber>Attachments from visitors</Th>
                  <Th isNumber>From your team</Th>
                </>
              )}
              {hasCost && <Th isNumber>Cost</Th>}
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
              {hasAttachments && (
                <>
                  <Td isNumber>{day.visitorAttachments.toLocaleString()}</Td>
                  <Td isNumber>{day.memberAttachments.toLocaleString()}</Td>
                </>
              )}
              {hasCost && <CostCell costs={day} currency={currency} />}
            </Tr>
          ))}
        </Table>
      </div>
    </details>
  );
}
