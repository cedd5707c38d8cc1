import type { FormAnalyticsDay } from "@foyer/contract";
import { type BarPart, DayChart } from "../../components/day-chart.tsx";

type Day = FormAnalyticsDay & { day: string };

/** Each stage is a subset of the previous one, so the height of a bar is the number of impressions. */
const parts: ReadonlyArray<BarPart<Day> & { swatch: string }> = [
  { name: "Delivered", fill: "var(--color-lamp)", swatch: "bg-lamp", value: ({ successful }) => successful },
  {
    name: "Submitted",
    fill: "var(--ink)",
    swatch: "bg-ink",
    value: ({ submitted, successful }) => Math.max(0, submitted - successful),
  },
  {
    name: "Started",
    fill: "var(--edge)",
    swatch: "bg-edge",
    value: ({ started, submitted, successful }) => Math.max(0, started - Math.max(submitted, successful)),
  },
  {
    name: "Shown",
    fill: "var(--line)",
    swatch: "bg-line",
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
  return (
    <figure
      className="min-w-0"
      aria-label="Shown, started, submitted and delivered by day; the table below has the figures"
    >
      <figcaption aria-hidden className="mb-3 flex flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
        {parts.toReversed().map(({ name, swatch }) => (
          <span key={name} className="inline-flex items-center gap-2">
            <span className={`inline-block size-2.5 rounded-[2px] ${swatch}`} />
            {name}
          </span>
        ))}
      </figcaption>
      <div aria-hidden className="h-64 overflow-x-clip">
        <DayChart days={days.map((day) => ({ ...day, day: day.date }))} parts={parts} tip={DayFigures} />
      </div>
    </figure>
  );
}

function DayFigures(day: Day) {
  const shown = figures.filter(({ key }) => key !== "failed" || day.failed > 0);
  return shown.map(({ key, name }) => (
    <p key={key} className="flex justify-between gap-6 text-soft">
      {name} <span className="text-ink">{day[key].toLocaleString()}</span>
    </p>
  ));
}
