/** A bar that shows how much of `most` is used. Screen readers get the numbers. */
export function Meter({ label, value, most }: { label: string; value: number; most: number }) {
  const share = most > 0 ? Math.min(value / most, 1) : 1;
  return (
    <div className="mt-1 h-1 w-full overflow-hidden rounded-full bg-line">
      <div className="h-full rounded-full bg-ink" style={{ width: `${share * 100}%` }} />
      <meter className="sr-only" aria-label={label} min={0} max={Math.max(most, 1)} value={value}>
        {value} of {most}
      </meter>
    </div>
  );
}
