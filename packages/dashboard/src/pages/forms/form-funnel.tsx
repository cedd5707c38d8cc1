import type { FormAnalyticsEntry } from "@foyer/contract";
import { formatPercent } from "../../components/day-text.ts";

/** The steps shown, started, submitted and delivered. The width of a bar is its share of the impressions. */
export function FormFunnel({ entry }: { entry: FormAnalyticsEntry }) {
  const { impressions, started, submitted, successful, failed, conversionRate, completionRate } = entry;
  const underWay = Math.max(0, submitted - successful - failed);
  const counts = [impressions, started, submitted, successful];
  const help = [
    "Times a visitor saw the form",
    "Times a visitor filled in a field",
    "Times the form was submitted",
    deliveredHelp(failed, underWay),
  ];
  return (
    <div className="grid gap-6">
      <dl className="grid grid-cols-3 gap-x-4 sm:flex sm:gap-x-12">
        <Rate name="Conversion" value={formatPercent(conversionRate)} help="Share of shown forms that were submitted" />
        <Rate
          name="Completion"
          value={formatPercent(completionRate)}
          help="Share of started forms that were submitted"
        />
        <Rate
          name="Delivery"
          value={formatPercent(percentOf(successful, submitted))}
          help="Share of submissions that were delivered"
        />
      </dl>
      <ol aria-label="Funnel" className="grid gap-3">
        {steps.map(({ name, color, ofBefore }, index) => {
          const count = counts[index] ?? 0;
          return (
            <li
              key={name}
              className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 sm:grid-cols-[200px_minmax(0,1fr)_64px_124px]"
            >
              <div className="sm:order-1">
                <p className="font-medium">{name}</p>
                <p className="text-sm text-soft">{help[index]}</p>
              </div>
              <p className="text-end sm:order-3 sm:contents">
                <span className="block font-semibold sm:order-3 sm:text-end">{count.toLocaleString()}</span>{" "}
                <span className="block text-soft sm:order-4 sm:text-end">
                  {ofBefore && `${formatPercent(percentOf(count, counts[index - 1] ?? 0))} ${ofBefore}`}
                </span>
              </p>
              <div className="col-span-full sm:order-2 sm:col-span-1">
                <Bar width={percentOf(count, impressions)} color={color} />
              </div>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** The steps in the colors of the chart. */
const steps = [
  { name: "Shown", color: "bg-edge", ofBefore: null },
  { name: "Started", color: "bg-soft", ofBefore: "of shown" },
  { name: "Submitted", color: "bg-ink", ofBefore: "of started" },
  { name: "Delivered", color: "bg-lamp", ofBefore: "of submitted" },
];

function deliveredHelp(failed: number, underWay: number): string {
  if (failed === 0 && underWay === 0) return "Delivered, or stored only";
  const parts = [
    ...(underWay > 0 ? [`${underWay.toLocaleString()} in progress`] : []),
    ...(failed > 0 ? [`${failed.toLocaleString()} failed`] : []),
  ];
  return `Delivered (${parts.join(", ")})`;
}

function Rate({ name, value, help }: { name: string; value: string; help: string }) {
  return (
    <div>
      <dt className="text-soft">{name}</dt>
      <dd>
        <p className="text-xl font-semibold">{value}</p>
        <p className="text-sm text-soft max-sm:sr-only">{help}</p>
      </dd>
    </div>
  );
}

/** A bar with a width in percent. A value above 0 always stays visible. */
export function Bar({ width, color }: { width: number; color: string }) {
  return (
    <div aria-hidden className="h-6 min-w-0 overflow-hidden rounded-md bg-sunken">
      <div
        className={`h-full rounded-md ${color}`}
        style={{ width: `${width === 0 ? 0 : Math.min(100, Math.max(width, 0.5))}%` }}
      />
    </div>
  );
}

function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : (part / whole) * 100;
}
