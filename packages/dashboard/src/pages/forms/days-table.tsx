import type { FormAnalyticsDay } from "@foyer/contract";
import { formatDay } from "../../components/day-text.ts";
import { Table, Td, Th, Tr } from "../../components/table.tsx";

/** The chart's figures as text, newest day first. Days without visitors are left out. */
export function DaysTable({ days }: { days: readonly FormAnalyticsDay[] }) {
  const busy = days.filter(({ impressions, started, submitted }) => impressions + started + submitted > 0).toReversed();
  return (
    <details className="min-w-0">
      <summary className="w-fit text-soft underline-offset-2 hover:underline">Show as a table</summary>
      <div className="mt-2">
        <Table
          label="Figures by day"
          head={
            <>
              <Th>Day</Th>
              <Th isNumber>Shown</Th>
              <Th isNumber>Started</Th>
              <Th isNumber>Submitted</Th>
              <Th isNumber>Delivered</Th>
              <Th isNumber>Failed</Th>
            </>
          }
        >
          {busy.map(({ date, impressions, started, submitted, successful, failed }) => (
            <Tr key={date}>
              <Td className="whitespace-nowrap">{formatDay(date)}</Td>
              <Td isNumber>{impressions.toLocaleString()}</Td>
              <Td isNumber>{started.toLocaleString()}</Td>
              <Td isNumber>{submitted.toLocaleString()}</Td>
              <Td isNumber>{successful.toLocaleString()}</Td>
              <Td isNumber>{failed.toLocaleString()}</Td>
            </Tr>
          ))}
        </Table>
      </div>
    </details>
  );
}
