import type { FormAnalyticsDay } from "@foyer/contract";
import { BarChart, type BarPart, Legend } from "../../components/bar-chart.tsx";
import { formatDay, selectLabelledDays } from "../../components/day-text.ts";

/** Each stage is a subset of the previous one, so the height of a bar is the number of impressions. */
const parts: ReadonlyArray<BarPart<FormAnalyticsDay>> = [
  { name: "Delivered", fill: "var(--color-lamp)", value: ({ successful }) => successful },
  {
    name: "Submitted",
    fill: "var(--ink)",
    value: ({ submitted, successful }) => Math.max(0, submitted - successful),
  },
  {
    name: "Started",
    fill: "var(--soft)",
    value: ({ started, submitted, successful }) => Math.max(0, started - Math.max(submitted, successful)),
  },
  {
    name: "Shown",
    fill: "var(--edge)",
    value: ({ impressions, ...rest }) => Math.max(0, impressions - Math.max(rest.started, rest.submitted)),
  },
];

const figures = [
  { key: "impressions", name: "Shown" },
  { key: "started", name: "Started" },
  { key: "submitted", name: "Submitted" },
  { key: "successful", name: "Delivered" },
  { key: "failed", name: "Failed" },
] as const;

/** How far visitors got on each day. The table below contains the same figures as text. */
export function DaysChart({ days }: { days: readonly FormAnalyticsDay[] }) {
  const labelled = new Set(selectLabelledDays(days.map(({ date }) => date)));
  return (
    <figure
      className="grid min-w-0 gap-3"
      aria-label="Shown, started, submitted and delivered by day; the table below has the figures"
    >
      <figcaption>
        <Legend parts={parts.toReversed()} />
      </figcaption>
      <BarChart
        name="Form figures by day"
        items={days}
        parts={parts}
        toLabel={({ date }) => formatDay(date)}
        isLabelled={({ date }) => labelled.has(date)}
        toFigures={(day) =>
          figures
            .filter(({ key }) => key !== "failed" || day.failed > 0)
            .map(({ key, name }) => [name, day[key].toLocaleString()] as const)
        }
      />
    </figure>
  );
}
