import { formatPercent } from "./day-text.ts";

export type FunnelStep = {
  name: string;
  help: string;
  count: number;
  /** The class of the bar's color. */
  color: string;
  /** What the share of the step before is called, such as "of shown". The first step has none. */
  ofBefore?: string;
};

/** Steps that fewer and fewer visitors reach. The width of a bar is its share of the first step. */
export function Funnel({ label, steps }: { label: string; steps: readonly FunnelStep[] }) {
  const first = steps[0]?.count ?? 0;
  return (
    <ol aria-label={label} className="grid gap-3">
      {steps.map(({ name, help, count, color, ofBefore }, index) => (
        <li
          key={name}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 sm:grid-cols-[200px_minmax(0,1fr)_64px_124px]"
        >
          <div className="sm:order-1">
            <p className="font-medium">{name}</p>
            <p className="text-sm text-soft">{help}</p>
          </div>
          <p className="text-end sm:order-3 sm:contents">
            <span className="block font-semibold tabular-nums sm:order-3 sm:text-end">{count.toLocaleString()}</span>{" "}
            <span className="block text-soft sm:order-4 sm:text-end">
              {ofBefore && `${formatPercent(shareOf(count, steps[index - 1]?.count ?? 0))} ${ofBefore}`}
            </span>
          </p>
          <div className="col-span-full sm:order-2 sm:col-span-1">
            <Bar width={shareOf(count, first)} color={color} />
          </div>
        </li>
      ))}
    </ol>
  );
}

/** A bar with a width in percent. A value above 0 always stays visible. */
export function Bar({ width, color }: { width: number; color: string }) {
  return (
    <div aria-hidden className="h-6 min-w-0 overflow-hidden rounded-md bg-sunken">
      <div
        data-fill
        className={`h-full rounded-md ${color}`}
        style={{ width: `${width === 0 ? 0 : Math.min(100, Math.max(width, 0.5))}%` }}
      />
    </div>
  );
}

/** The share in percent, or 0 of nothing. */
export function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : (part / whole) * 100;
}
