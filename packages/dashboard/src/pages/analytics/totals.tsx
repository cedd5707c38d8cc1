import type { ConversationCounts } from "@foyer/contract";
import { type ReactNode, useId } from "react";
import { compareMetric, type Metric } from "./metrics.ts";

/** The totals of the range. The selected one has its chart below. The arrow keys move between them. */
export function Totals({
  metrics,
  totals,
  before,
  metric,
  onChange,
}: {
  metrics: readonly Metric[];
  totals: ConversationCounts;
  /** The totals of the period before, once they are known. */
  before: ConversationCounts | undefined;
  metric: Metric;
  onChange: (metric: Metric) => void;
}) {
  const group = useId();
  return (
    <fieldset className={`${tiles} ${columns[metrics.length] ?? oddTiles} mb-8`}>
      <legend className="sr-only">Figure in the chart</legend>
      {metrics.map((choice) => {
        const change = before && compareMetric(choice, totals, before);
        const isSelected = choice.id === metric.id;
        return (
          <label key={choice.id} className={`${tile} ${isSelected ? "bg-raised" : "bg-paper hover:bg-hover"}`}>
            <input
              type="radio"
              name={group}
              checked={isSelected}
              onChange={() => onChange(choice)}
              className="absolute inset-0 m-0 size-full cursor-pointer appearance-none focus-visible:outline-2 focus-visible:-outline-offset-2 checked:border-t-2 checked:border-ink"
            />
            <span className={`block ${isSelected ? "font-medium" : "text-soft"}`}>{choice.label}</span>{" "}
            <span className="flex items-baseline gap-2">
              <span className="text-2xl font-semibold tabular-nums">{choice.value(totals)}</span>{" "}
              {change && <span className="text-sm text-soft tabular-nums">{change}</span>}
            </span>{" "}
            <span className="block min-h-5 text-sm text-soft">{choice.note(totals)}</span>
          </label>
        );
      })}
    </fieldset>
  );
}

const tiles = "grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line";
const oddTiles = "lg:grid-cols-5 *:max-lg:last:col-span-full";
/** By the number of figures: no row has an empty place. */
const columns: Readonly<Record<number, string>> = { 6: "lg:grid-cols-6", 7: "lg:grid-cols-4 *:last:col-span-2" };
const tile = "relative px-4 py-3";

/** Five totals side by side, or in two columns on a narrow screen. */
export function TotalList({ children }: { children: ReactNode }) {
  return <dl className={`${tiles} ${oddTiles}`}>{children}</dl>;
}

export function Total({ name, value, note = "" }: { name: string; value: string; note?: string }) {
  return (
    <div className={`${tile} bg-paper`}>
      <dt className="text-soft">{name}</dt>
      <dd>
        <p className="text-2xl font-semibold tabular-nums">{value}</p>
        <p className="min-h-5 text-sm text-soft">{note}</p>
      </dd>
    </div>
  );
}
