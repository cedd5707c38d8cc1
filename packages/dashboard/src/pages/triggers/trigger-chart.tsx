import { Bar, BarChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import type { DayCounts } from "./trigger-days.ts";
import { rateInWords } from "./trigger-words.ts";

const short = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" });
const soft = { fill: "var(--soft)", fontSize: 12 };

/** A bar for each day: what converted below, what only fired above it. Its own file, because it brings a library. */
export function TriggerChart({ days }: { days: readonly DayCounts[] }) {
  const bars = days.map(({ day, fired, converted }) => ({
    ...{ day, fired, converted },
    rest: Math.max(0, fired - converted),
  }));
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart
        data={bars}
        margin={{ top: 4, right: 0, bottom: 0, left: 0 }}
        barCategoryGap={2}
        accessibilityLayer={false}
      >
        <XAxis
          dataKey="day"
          tickFormatter={dayInWords}
          tick={soft}
          tickLine={false}
          axisLine={{ stroke: "var(--line)" }}
          minTickGap={32}
        />
        <YAxis allowDecimals={false} tick={soft} tickLine={false} axisLine={false} width={36} />
        <Tooltip content={DayTip} cursor={{ fill: "var(--sunken)" }} isAnimationActive={false} />
        <Bar dataKey="converted" stackId="day" fill="var(--color-lamp)" isAnimationActive={false} maxBarSize={28} />
        <Bar dataKey="rest" stackId="day" fill="var(--edge)" isAnimationActive={false} maxBarSize={28} />
      </BarChart>
    </ResponsiveContainer>
  );
}

function DayTip({ active, payload }: { active?: boolean; payload?: ReadonlyArray<{ payload?: DayCounts }> }) {
  const counts = payload?.[0]?.payload;
  if (!active || !counts) return null;
  return (
    <div className="rounded-lg border border-line bg-raised px-3 py-2 text-sm">
      <p className="font-medium">{dayInWords(counts.day)}</p>
      <p>
        {counts.fired.toLocaleString()} fired, {counts.converted.toLocaleString()} converted (
        {rateInWords(counts.converted, counts.fired)})
      </p>
    </div>
  );
}

function dayInWords(day: string) {
  return short.format(new Date(`${day}T00:00Z`));
}
