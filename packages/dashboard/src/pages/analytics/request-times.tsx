import type { InboxAnalytics } from "@foyer/contract";
import { BarChart, type BarPart } from "../../components/bar-chart.tsx";
import { formatDay } from "../../components/day-text.ts";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { MeanCell, TimeCell } from "./figure-cells.tsx";
import { formatHour } from "./hours-chart.tsx";

type Hour = InboxAnalytics["hours"][number];
type Day = InboxAnalytics["days"][number];

const parts: ReadonlyArray<BarPart<Hour>> = [
  { name: "Answered", fill: "color-mix(in srgb, var(--ink) 85%, transparent)", value: ({ answered }) => answered },
  {
    name: "Not answered",
    fill: "color-mix(in srgb, var(--ink) 35%, transparent)",
    value: ({ requests, answered }) => requests - answered,
  },
];

/** When visitors asked for a person, by the hour of the day and by the day, with the figures of each. */
export function RequestTimes({
  hours,
  days,
  hasRatings,
}: {
  hours: readonly Hour[];
  days: readonly Day[];
  hasRatings: boolean;
}) {
  return (
    <>
      <figure className="min-w-0" aria-label="Requests by hour; the table below has the figures">
        <BarChart
          name="Requests by hour"
          items={hours}
          parts={parts}
          toLabel={({ hour }) => formatHour(hour)}
          isLabelled={({ hour }) => hour % 6 === 0}
          toFigures={({ requests, answered }) => [
            ["Requests", requests.toLocaleString()],
            ["Answered", answered.toLocaleString()],
          ]}
        />
      </figure>
      <FiguresByTime
        summary="Show hours as a table"
        label="Requests by hour"
        first="Hour"
        rows={hours.map((hour) => ({ ...hour, id: hour.hour, name: formatHour(hour.hour) }))}
        hasRatings={hasRatings}
      />
      <FiguresByTime
        summary="Show days as a table"
        label="Requests by day"
        first="Day"
        rows={days.toReversed().map((day) => ({ ...day, id: day.date, name: formatDay(day.date) }))}
        hasRatings={hasRatings}
      />
    </>
  );
}

function FiguresByTime({
  summary,
  label,
  first,
  rows,
  hasRatings,
}: {
  summary: string;
  label: string;
  first: string;
  rows: ReadonlyArray<InboxAnalytics["totals"] & { id: string | number; name: string }>;
  hasRatings: boolean;
}) {
  return (
    <details className="min-w-0">
      <summary className="w-fit text-soft underline-offset-2 hover:underline">{summary}</summary>
      <div className="mt-2">
        <Table
          label={label}
          head={
            <>
              <Th>{first}</Th>
              <Th isNumber>Requests</Th>
              <Th isNumber>Answered</Th>
              <Th isNumber>Reopened</Th>
              <Th isNumber>First answer</Th>
              <Th isNumber>Handling</Th>
              <Th isNumber>Resolution</Th>
              {hasRatings && <Th isNumber>Rating</Th>}
            </>
          }
        >
          {rows.map((row) => (
            <Tr key={row.id}>
              <Td className="whitespace-nowrap">{row.name}</Td>
              <Td isNumber>{row.requests.toLocaleString()}</Td>
              <Td isNumber>{row.answered.toLocaleString()}</Td>
              <Td isNumber>{row.reopened.toLocaleString()}</Td>
              <TimeCell time={row.firstAnswerMs} />
              <TimeCell time={row.handlingMs} />
              <TimeCell time={row.resolutionMs} />
              {hasRatings && <MeanCell rating={row.rating} />}
            </Tr>
          ))}
        </Table>
      </div>
    </details>
  );
}
