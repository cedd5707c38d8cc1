import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { ErrorState, Skeleton } from "../../components/states.tsx";
import { Table, Td, Th } from "../../components/table.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { TriggerChart } from "./trigger-chart.tsx";
import { countByDay, type DayCounts, firstDay, listLastDays } from "./trigger-days.ts";
import { formatRate } from "./trigger-labels.ts";

const ranges = ["7", "30", "90"] as const;

/** How often the trigger fired and converted, in total and by day. */
export function TriggerFigures({ agentId, triggerId }: { agentId: string; triggerId: string }) {
  const [range, setRange] = useState<(typeof ranges)[number]>("30");
  const days = listLastDays(Number(range));
  const stats = useQuery({
    ...endpointQuery("getTriggerStats", { agentId, from: firstDay(Number(range)), groupBy: "day" }),
    placeholderData: keepPreviousData,
  });
  const counts = stats.data?.[triggerId];
  const { firedCount = 0, convertedCount = 0 } = counts ?? {};
  return (
    <section aria-label="Figures" className="mb-6 grid gap-3 border-b border-line pb-6">
      <div className="flex flex-wrap items-end gap-x-8 gap-y-3">
        <Figure name="Fired" value={stats.data && firedCount.toLocaleString()} />
        <Figure name="Converted" value={stats.data && convertedCount.toLocaleString()} />
        <Figure name="Rate" value={stats.data && formatRate(convertedCount, firedCount)} />
        <div className="ms-auto">
          <SegmentedControl
            label="Days"
            isSelectOnPhones
            value={range}
            onChange={setRange}
            options={ranges.map((value) => ({ value, label: `${value} days` }))}
          />
        </div>
      </div>
      {stats.error ? (
        <ErrorState error={stats.error} onRetry={() => stats.refetch()} />
      ) : (
        <Days days={stats.data && countByDay(days, counts)} />
      )}
    </section>
  );
}

function Figure({ name, value }: { name: string; value: string | undefined }) {
  return (
    <dl className="grid">
      <dt className="text-sm text-soft">{name}</dt>
      <dd className="text-xl">{value ?? <Skeleton className="h-7 w-16" />}</dd>
    </dl>
  );
}

const height = "h-56";

function Days({ days }: { days: DayCounts[] | undefined }) {
  if (!days) return <Skeleton className={height} />;
  const active = days.filter(({ fired, converted }) => fired + converted > 0);
  if (active.length === 0) {
    return (
      <div className={`grid ${height} place-content-center rounded-lg border border-line px-6 text-center text-soft`}>
        <p>This trigger did not fire in this period. This chart shows how often it fires and converts.</p>
      </div>
    );
  }
  return (
    <div className="grid gap-2">
      <TriggerChart days={days} />
      <div className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
        <Legend className="bg-lamp">
          Converted: the visitor clicked the bubble, sent a message or submitted a form
        </Legend>
        <Legend className="bg-edge">Not converted</Legend>
        <span>Days are counted in UTC.</span>
      </div>
      <details className="min-w-0">
        <summary className="w-fit text-soft underline-offset-2 hover:underline">Show as a table</summary>
        <Table label="Fired and converted by day" head={<Head />}>
          {active.map(({ day, fired, converted }) => (
            <tr key={day} className="border-b border-line">
              <Td>{day}</Td>
              <Td isNumber>{fired.toLocaleString()}</Td>
              <Td isNumber>{converted.toLocaleString()}</Td>
              <Td isNumber>{formatRate(converted, fired)}</Td>
            </tr>
          ))}
        </Table>
      </details>
    </div>
  );
}

function Head() {
  return (
    <>
      <Th>Day (UTC)</Th>
      <Th isNumber>Fired</Th>
      <Th isNumber>Converted</Th>
      <Th isNumber>Rate</Th>
    </>
  );
}

function Legend({ className, children }: { className: string; children: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden className={`size-2.5 rounded-[2px] ${className}`} />
      {children}
    </span>
  );
}
