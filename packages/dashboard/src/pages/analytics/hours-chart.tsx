import { BarChart, type BarPart } from "../../components/bar-chart.tsx";
import { Section } from "../../components/page.tsx";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { type Hour, toLocalHours } from "./analytics-range.ts";

const clock = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
export const formatHour = (hour: number) => clock.format(new Date(2026, 0, 1, hour));

const parts: ReadonlyArray<BarPart<Hour>> = [
  { name: "Replies", fill: "color-mix(in srgb, var(--ink) 85%, transparent)", value: ({ replies }) => replies },
];

/** At what time of day visitors write, over the whole range. */
export function HoursChart({ hours }: { hours: readonly Hour[] }) {
  const local = toLocalHours(hours);
  return (
    <Section title="Time of day" description="Replies by the hour, in your time zone.">
      <figure className="min-w-0" aria-label="Replies by hour; the table below has the figures">
        <BarChart
          name="Replies by hour"
          items={local}
          parts={parts}
          toLabel={({ hour }) => formatHour(hour)}
          isLabelled={({ hour }) => hour % 6 === 0}
          toFigures={({ conversations, replies }) => [
            ["Replies", replies.toLocaleString()],
            ["Conversations started", conversations.toLocaleString()],
          ]}
        />
      </figure>
      <details className="min-w-0">
        <summary className="w-fit text-soft underline-offset-2 hover:underline">Show as a table</summary>
        <div className="mt-2">
          <Table
            label="Figures by hour"
            head={
              <>
                <Th>Hour</Th>
                <Th isNumber>Conversations started</Th>
                <Th isNumber>Replies</Th>
              </>
            }
          >
            {local.map(({ hour, conversations, replies }) => (
              <Tr key={hour}>
                <Td className="whitespace-nowrap">{formatHour(hour)}</Td>
                <Td isNumber>{conversations.toLocaleString()}</Td>
                <Td isNumber>{replies.toLocaleString()}</Td>
              </Tr>
            ))}
          </Table>
        </div>
      </details>
    </Section>
  );
}
