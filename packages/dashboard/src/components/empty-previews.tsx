/** The widths of the texts of three rows, in percent of their column. Equal widths would look like a grid of lines. */
const textWidths = [72, 48, 60];

/** The head of a table above three rows without texts, which fade out. A narrow screen has the first two columns. */
export function TablePreview({ columns }: { columns: readonly string[] }) {
  const cells = columns.map((name, at) => ({
    name,
    className: `min-w-0 first:flex-2 flex-1 truncate ${at > 1 ? "max-sm:hidden" : ""}`,
  }));
  return (
    <div aria-hidden>
      <div className="flex h-9 items-center gap-4 border-b border-line text-sm font-medium text-soft">
        {cells.map(({ name, className }) => (
          <div key={name} className={className}>
            {name}
          </div>
        ))}
      </div>
      <div className={fading}>
        {textWidths.map((width) => (
          <div key={width} className="flex h-10 items-center gap-4 border-b border-line">
            {cells.map(({ name, className }) => (
              <div key={name} className={className}>
                <Line width={width} />
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}

/** Three rows with two lines of text, beside a face if `hasFaces`. */
export function ListPreview({ hasFaces = false }: { hasFaces?: boolean }) {
  return (
    <div aria-hidden className={fading}>
      {textWidths.map((width) => (
        <div key={width} className="flex h-16 items-center gap-2.5 border-b border-line">
          {hasFaces && <div className="size-6 shrink-0 rounded-full bg-line" />}
          <div className="grid flex-1 gap-2">
            <Line width={width} />
            <Line width={width / 2} />
          </div>
        </div>
      ))}
    </div>
  );
}

/** Bars of a chart in percent of its height, with a week's rhythm. */
const bars = [
  34, 48, 42, 58, 52, 22, 16, 40, 55, 50, 66, 60, 28, 20, 48, 62, 58, 76, 70, 34, 26, 56, 74, 68, 88, 80, 42, 30,
];

/** The bars of a chart without figures. */
export function ChartPreview() {
  return (
    <div aria-hidden className="mb-4 flex h-32 items-end gap-1 border-b border-line sm:gap-2">
      {bars.map((height, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its position
        <div key={at} className="flex-1 rounded-t-[2px] bg-line" style={{ height: `${height}%` }} />
      ))}
    </div>
  );
}

function Line({ width }: { width: number }) {
  return <div className="h-2.5 rounded-md bg-line" style={{ width: `${width}%` }} />;
}

const fading = "[mask-image:linear-gradient(black,transparent)]";
