import type { ReactNode } from "react";
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { formatDay, selectLabelledDays } from "./day-text.ts";

type Day = { day: string };
/** One part of each day's bar; the first is at the bottom. */
export type BarPart<Item> = { name: string; fill: string; value: (item: Item) => number };

const axis = { tickLine: false, axisLine: false, tick: { fill: "var(--soft)", fontSize: 12 } } as const;

/**
 * Stacked bars, one per day (UTC). A single day with data stays visible as a bar, which a line chart would not show.
 * Load it lazily, because it includes the chart library.
 */
export function DayChart<Item extends Day>({
  days,
  parts,
  tip,
}: {
  days: readonly Item[];
  parts: ReadonlyArray<BarPart<Item>>;
  /** The content of a day's tooltip, below the date. */
  tip: (item: Item) => ReactNode;
}) {
  const Tip = ({ active, payload }: { active?: boolean; payload?: ReadonlyArray<{ payload?: Item }> }) => {
    const item = payload?.[0]?.payload;
    if (!active || !item) return null;
    return (
      <div className="rounded-lg border border-line bg-raised px-3 py-2 text-sm">
        <p className="font-medium">{formatDay(item.day)}</p>
        {tip(item)}
      </div>
    );
  };
  return (
    <ResponsiveContainer width="100%" height="100%">
      <BarChart
        data={[...days]}
        margin={{ top: 4, right: 16, bottom: 0, left: 0 }}
        barCategoryGap={2}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--line)" />
        <XAxis
          dataKey="day"
          ticks={selectLabelledDays(days.map(({ day }) => day))}
          interval={0}
          tickFormatter={formatDay}
          {...axis}
        />
        <YAxis allowDecimals={false} width={40} {...axis} />
        <Tooltip content={Tip} cursor={{ fill: "var(--sunken)" }} isAnimationActive={false} />
        {parts.map(({ name, fill, value }) => (
          <Bar
            key={name}
            dataKey={value}
            name={name}
            stackId="day"
            fill={fill}
            isAnimationActive={false}
            maxBarSize={28}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  );
}
