import type { FormAnalyticsDay } from "@foyer/contract";
import { Area, CartesianGrid, ComposedChart, Line, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { dayText } from "./days-table.tsx";

/** Back to front: the lamp fills what was delivered, under the line of what was submitted. */
const series = [
  { key: "impressions", name: "Shown" },
  { key: "started", name: "Started" },
  { key: "submitted", name: "Submitted" },
  { key: "successful", name: "Delivered" },
] as const;

const swatches = {
  impressions: "border border-edge bg-line",
  started: "border-t-2 border-dashed border-soft",
  submitted: "border-t-2 border-ink",
  successful: "bg-lamp",
};

const axis = { tickLine: false, axisLine: false, tick: { fill: "var(--soft)", fontSize: 12 } } as const;

/** What happened each day. The table below it says the same in text. */
export function DaysChart({ days }: { days: readonly FormAnalyticsDay[] }) {
  return (
    <figure
      className="min-w-0"
      aria-label="Shown, started, submitted and delivered by day; the table below has the figures"
    >
      <figcaption aria-hidden className="mb-3 flex flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
        {series.map(({ key, name }) => (
          <span key={key} className="inline-flex items-center gap-2">
            <span
              className={`inline-block w-4 ${key === "impressions" || key === "successful" ? "h-3" : "h-0"} ${swatches[key]}`}
            />
            {name}
          </span>
        ))}
      </figcaption>
      <div aria-hidden className="h-64 overflow-x-clip">
        <ResponsiveContainer width="100%" height="100%">
          <ComposedChart data={[...days]} accessibilityLayer={false} margin={{ top: 4, right: 4, bottom: 0, left: 0 }}>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis dataKey="date" tickFormatter={dayText} minTickGap={48} {...axis} />
            <YAxis allowDecimals={false} width={40} {...axis} />
            <Tooltip content={DayFigures} cursor={{ stroke: "var(--edge)" }} isAnimationActive={false} />
            <Area dataKey="impressions" {...shape} stroke="var(--edge)" fill="var(--line)" fillOpacity={0.6} />
            <Line dataKey="started" {...shape} stroke="var(--soft)" strokeDasharray="4 4" />
            <Area dataKey="successful" {...shape} stroke="none" fill="var(--color-lamp)" fillOpacity={0.85} />
            <Line dataKey="submitted" {...shape} stroke="var(--ink)" strokeWidth={2} />
          </ComposedChart>
        </ResponsiveContainer>
      </div>
    </figure>
  );
}

const shape = { type: "linear", dot: false, activeDot: false, isAnimationActive: false } as const;

type Hovered = { active?: boolean; payload?: ReadonlyArray<{ payload?: FormAnalyticsDay }> };

function DayFigures({ active, payload }: Hovered) {
  const day = payload?.[0]?.payload;
  if (!active || !day) return null;
  return (
    <div className="rounded-lg border border-line bg-raised px-3 py-2 text-sm">
      <p className="font-medium">{dayText(day.date)}</p>
      {series.map(({ key, name }) => (
        <p key={key} className="flex justify-between gap-6 text-soft">
          {name} <span className="text-ink">{day[key].toLocaleString()}</span>
        </p>
      ))}
      {day.failed > 0 && (
        <p className="flex justify-between gap-6 text-soft">
          Failed <span className="text-ink">{day.failed.toLocaleString()}</span>
        </p>
      )}
    </div>
  );
}
