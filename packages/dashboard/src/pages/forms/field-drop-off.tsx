import { formatPercent } from "../../components/day-text.ts";
import { Bar } from "../../components/funnel.tsx";
import { type FieldRate, findLargestDrop } from "./analytics-days.ts";

/** A bar for each field, and a sentence about the largest drop-off. */
export function FieldDropOff({ rates, started }: { rates: readonly FieldRate[]; started: number }) {
  if (started === 0) return <p className="text-soft">No visitor started this form in the selected period.</p>;
  const drop = findLargestDrop(rates);
  return (
    <div className="grid gap-4">
      {drop && (
        <p>
          Most visitors drop off at <strong className="font-semibold">{drop.label}</strong>:
          {` ${formatPercent(drop.lost)}`} of those who started filled in the field before it but not this one.
        </p>
      )}
      <ol className="grid gap-2">
        {rates.map(({ name, label, isRequired, rate }) => (
          <li
            key={name}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 sm:grid-cols-[200px_minmax(0,1fr)_64px_124px]"
          >
            <span className="min-w-0 sm:order-1">
              {label}
              {!isRequired && <span className="text-soft sm:sr-only"> (optional)</span>}
            </span>
            <span className="text-end sm:order-3">{formatPercent(rate)}</span>
            <span aria-hidden className="hidden text-end text-soft sm:order-4 sm:block">
              {isRequired ? "" : "optional"}
            </span>
            <div className="col-span-full sm:order-2 sm:col-span-1">
              <Bar width={rate} color={isRequired ? "bg-ink" : "bg-edge"} />
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}
