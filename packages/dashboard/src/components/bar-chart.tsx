import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { scaleAxis } from "./chart-axis.ts";

/** One part of each bar; the first is at the bottom. */
export type BarPart<Item> = { name: string; fill: string; value: (item: Item) => number };

const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumSignificantDigits: 3 });

/**
 * Stacked bars, one per item, such as a day. A single day with data stays visible as a bar, which a line would not
 * show. The pointer and the arrow keys select a bar, whose figures appear beside it. A screen reader reads them as the
 * value of a slider.
 */
export function BarChart<Item>({
  name,
  items,
  parts,
  toLabel,
  isLabelled,
  toFigures,
  previous,
  live,
}: {
  /** What the slider is called, such as "Conversations by day". */
  name: string;
  items: readonly Item[];
  parts: ReadonlyArray<BarPart<Item>>;
  /** The name of a bar, below the axis and above its figures. */
  toLabel: (item: Item) => string;
  /** Whether a bar has its name below the axis. */
  isLabelled: (item: Item) => boolean;
  /** The names and values of a bar's figures. `index` is its position in the chart. */
  toFigures: (item: Item, index: number) => ReadonlyArray<readonly [name: string, value: string]>;
  /** The totals of the period before, one for each bar, drawn as a thin line. */
  previous?: readonly number[] | undefined;
  /** The bar that still grows, such as today's. It is amber if a bar has a single part. */
  live?: Item | undefined;
}) {
  const [selected, setSelected] = useState<number | null>(null);
  const totals = items.map((item) => parts.reduce((sum, { value }) => sum + value(item), 0));
  const { max, ticks } = scaleAxis(Math.max(0, ...totals, ...(previous ?? [])));
  const index = selected === null || selected >= items.length ? null : selected;
  const item = index === null ? undefined : items[index];
  const figures = item === undefined || index === null ? [] : toFigures(item, index);

  const followPointer = ({ currentTarget, clientX }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    setSelected(Math.max(0, Math.min(items.length - 1, Math.floor(((clientX - left) / width) * items.length))));
  };
  const followKey = (event: KeyboardEvent) => {
    const last = items.length - 1;
    const at = index ?? last;
    const targets: Record<string, number | null> = {
      ArrowLeft: Math.max(0, at - 1),
      ArrowDown: Math.max(0, at - 1),
      ArrowRight: Math.min(last, at + 1),
      ArrowUp: Math.min(last, at + 1),
      Home: 0,
      End: last,
      Escape: null,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    setSelected(target);
  };

  return (
    <div className="relative h-58 ps-10 pe-4 pt-2 pb-6 text-xs text-soft tabular-nums">
      <div
        role="slider"
        tabIndex={0}
        aria-label={name}
        aria-valuemin={1}
        aria-valuemax={items.length}
        aria-valuenow={(index ?? items.length - 1) + 1}
        aria-valuetext={
          item === undefined
            ? "Use the arrow keys to read the figures"
            : [toLabel(item), ...figures.map(([label, value]) => `${label} ${value}`)].join(", ")
        }
        onPointerMove={followPointer}
        onPointerDown={followPointer}
        onPointerLeave={() => setSelected(null)}
        onFocus={(event) => event.currentTarget.matches(":focus-visible") && setSelected(items.length - 1)}
        onBlur={() => setSelected(null)}
        onKeyDown={followKey}
        className="relative h-full touch-pan-y"
      >
        {ticks.map((tick) => (
          <div
            key={tick}
            aria-hidden
            className="absolute inset-x-0 border-t border-line"
            style={{ bottom: `${(tick / max) * 100}%` }}
          >
            <span data-tick className="absolute end-full -translate-y-1/2 whitespace-nowrap pe-2">
              {compact.format(tick)}
            </span>
          </div>
        ))}
        <div aria-hidden className="absolute inset-0 flex items-stretch">
          {items.map((entry, at) => (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its position, and labels repeat after a year
              key={at}
              className={`flex min-w-0 flex-1 items-end justify-center ${at === index ? "bg-hover" : ""}`}
            >
              <div
                data-bar
                className={`flex w-4/5 max-w-6 flex-col-reverse overflow-hidden rounded-t-[2px] ${totals[at] === 0 ? "bg-line" : ""}`}
                style={{ height: totals[at] === 0 ? 2 : `max(2px, ${((totals[at] ?? 0) / max) * 100}%)` }}
              >
                {parts.map(({ name: part, fill, value }) => (
                  <div
                    key={part}
                    data-fill={fill}
                    style={{
                      flex: `${value(entry)} 0 0`,
                      background: entry === live && parts.length === 1 ? "var(--color-lamp)" : fill,
                    }}
                  />
                ))}
              </div>
            </div>
          ))}
        </div>
        {previous && <PreviousLine values={previous} max={max} />}
        {item !== undefined && index !== null && (
          <div
            aria-hidden
            className="pointer-events-none absolute top-0 z-10 min-w-36 rounded-lg border border-rim bg-raised px-3 py-2 text-sm"
            style={
              index < items.length / 2
                ? { left: `calc(${((index + 1) / items.length) * 100}% + 8px)` }
                : { right: `calc(${(1 - index / items.length) * 100}% + 8px)` }
            }
          >
            <p className="font-medium text-ink">{toLabel(item)}</p>
            {figures.map(([label, value]) => (
              <p key={label} className="flex justify-between gap-6 whitespace-nowrap">
                {label} <span className="text-ink">{value}</span>
              </p>
            ))}
          </div>
        )}
      </div>
      <div aria-hidden className="relative">
        {items.map(
          (entry, at) =>
            isLabelled(entry) && (
              <span
                // biome-ignore lint/suspicious/noArrayIndexKey: a label is its position, and its text repeats after a year
                key={at}
                className="absolute top-1.5 -translate-x-1/2 whitespace-nowrap"
                style={{ left: `${((at + 0.5) / items.length) * 100}%` }}
              >
                {toLabel(entry)}
              </span>
            ),
        )}
      </div>
    </div>
  );
}

function PreviousLine({ values, max }: { values: readonly number[]; max: number }) {
  const points = values.map((value, at) => `${at + 0.5},${max - value}`).join(" ");
  return (
    <svg
      aria-hidden="true"
      className="pointer-events-none absolute inset-0 size-full overflow-visible"
      viewBox={`0 0 ${values.length} ${max}`}
      preserveAspectRatio="none"
    >
      <polyline points={points} fill="none" stroke="var(--edge)" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

/** The names and colors of a chart's parts. Hidden from screen readers, which read the parts' names as figures. */
export function Legend({ parts, hasPrevious = false }: { parts: readonly LegendPart[]; hasPrevious?: boolean }) {
  return (
    <p aria-hidden className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-soft">
      {parts.map(({ name, fill }) => (
        <span key={name} className="inline-flex items-center gap-2">
          <span data-fill={fill} className="inline-block size-2.5 rounded-[2px]" style={{ background: fill }} />
          {name}
        </span>
      ))}
      {hasPrevious && (
        <span className="inline-flex items-center gap-2">
          <span className="inline-block h-0 w-4 border-t-[1.5px] border-edge" />
          The period before
        </span>
      )}
    </p>
  );
}

type LegendPart = { name: string; fill: string };
