import { type BarPart, DayChart } from "../../components/day-chart.tsx";
import type { DayCounts } from "./trigger-days.ts";
import { formatRate } from "./trigger-labels.ts";

const parts: ReadonlyArray<BarPart<DayCounts>> = [
  { name: "Converted", fill: "var(--color-lamp)", value: ({ converted }) => converted },
  { name: "Fired", fill: "var(--edge)", value: ({ fired, converted }) => Math.max(0, fired - converted) },
];

/** How often a trigger fired each day, and how many of those visitors converted. */
export function TriggerChart({ days }: { days: readonly DayCounts[] }) {
  return (
    <DayChart
      days={days}
      parts={parts}
      tip={({ fired, converted }) => (
        <p>
          {fired.toLocaleString()} fired, {converted.toLocaleString()} converted ({formatRate(converted, fired)})
        </p>
      )}
    />
  );
}
