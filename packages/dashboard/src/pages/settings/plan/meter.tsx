/** A bar that shows how much of `max` is used. Screen readers get the numbers. */
export function Meter({ label, value, max }: { label: string; value: number; max: number }) {
  const share = max > 0 ? Math.min(value / max, 1) : 1;
  return (
    <div className="mt-1 h-1 w-full overflow-hidden rounded-full bg-line">
      <div data-fill className="h-full rounded-full bg-ink" style={{ width: `${share * 100}%` }} />
      <meter className="sr-only" aria-label={label} min={0} max={Math.max(max, 1)} value={value}>
        {value} of {max}
      </meter>
    </div>
  );
}
