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
    <fieldset className={`${tiles} mb-8`}>
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
            <span className={`block whitespace-nowrap ${isSelected ? "font-medium" : "text-soft"}`}>
              {choice.label}
            </span>{" "}
            <span className={figure}>{choice.value(totals)}</span>{" "}
            {before && <span className="block min-h-5 text-sm text-soft tabular-nums">{change}</span>}{" "}
            <span className="block min-h-5 text-sm text-soft">{choice.note(totals)}</span>
          </label>
        );
      })}
    </fieldset>
  );
}

/** As many tiles in a row as have room for their figure, which never breaks. The lines between them are their shadows. */
const tiles =
  "grid grid-cols-[repeat(auto-fit,minmax(148px,1fr))] gap-px overflow-hidden rounded-lg border border-line *:shadow-[0_0_0_1px_var(--color-line)]";
const tile = "relative px-4 py-3";
const figure = "block whitespace-nowrap text-2xl font-semibold tabular-nums";

export function TotalList({ children }: { children: ReactNode }) {
  return <dl className={tiles}>{children}</dl>;
}

export function Total({ name, value, note = "" }: { name: string; value: string; note?: string }) {
  return (
    <div className={`${tile} bg-paper`}>
      <dt className="whitespace-nowrap text-soft">{name}</dt>
      <dd>
        <p className={figure}>{value}</p>
        <p className="min-h-5 text-sm text-soft">{note}</p>
      </dd>
    </div>
  );
}
