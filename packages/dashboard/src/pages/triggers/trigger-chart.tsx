import { BarChart, type BarPart } from "../../components/bar-chart.tsx";
import { formatDay, selectLabelledDays } from "../../components/day-text.ts";
import type { DayCounts } from "./trigger-days.ts";
import { formatRate } from "./trigger-labels.ts";

const parts: ReadonlyArray<BarPart<DayCounts>> = [
  { name: "Converted", fill: "var(--color-lamp)", value: ({ converted }) => converted },
  { name: "Fired", fill: "var(--edge)", value: ({ fired, converted }) => Math.max(0, fired - converted) },
];

/** How often a trigger fired each day, and how many of those visitors converted. */
export function TriggerChart({ days }: { days: readonly DayCounts[] }) {
  const labelled = new Set(selectLabelledDays(days.map(({ day }) => day)));
  return (
    <BarChart
      name="Fired and converted by day"
      items={days}
      parts={parts}
      toLabel={({ day }) => formatDay(day)}
      isLabelled={({ day }) => labelled.has(day)}
      toFigures={({ fired, converted }) => [
        ["Fired", fired.toLocaleString()],
        ["Converted", converted.toLocaleString()],
        ["Rate", formatRate(converted, fired)],
      ]}
    />
  );
}
