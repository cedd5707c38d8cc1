import type { FormAnalyticsEntry } from "@foyer/contract";
import { percent } from "./analytics-days.ts";
import { plural } from "./submission-words.ts";

/** Shown, started, submitted, delivered: bars as wide as their share of what was shown, and what each number counts. */
export function FormFunnel({ entry }: { entry: FormAnalyticsEntry }) {
  const { impressions, started, submitted, successful, failed, conversionRate, completionRate } = entry;
  const underWay = Math.max(0, submitted - successful - failed);
  const counts = [impressions, started, submitted, successful];
  const help = [
    "Times a visitor saw it",
    "Times something was filled in",
    "Times it was sent and kept",
    deliveredHelp(failed, underWay),
  ];
  return (
    <div className="grid gap-6">
      <dl className="flex flex-wrap gap-x-12 gap-y-4">
        <Rate name="Conversion" value={percent(conversionRate)} help="Submitted, of those who were shown it" />
        <Rate name="Completion" value={percent(completionRate)} help="Submitted, of those who began it" />
        <Rate name="Delivery" value={percent(share(successful, submitted))} help="Delivered, of what was submitted" />
      </dl>
      <ol aria-label="Funnel" className="grid gap-3">
        {["Shown", "Started", "Submitted", "Delivered"].map((name, step) => {
          const count = counts[step] ?? 0;
          const before = step === 0 ? null : share(count, counts[step - 1] ?? 0);
          return (
            <li key={name} className="grid items-center gap-x-4 gap-y-1 sm:grid-cols-[220px_minmax(0,1fr)_150px]">
              <div className="sm:order-1">
                <p className="font-medium">{name}</p>
                <p className="text-sm text-soft">{help[step]}</p>
              </div>
              <p className="flex items-baseline gap-2 sm:order-3 sm:justify-end">
                <span className="font-semibold">{count.toLocaleString()}</span>
                <span className="text-soft">{before === null ? "" : `${percent(before)} of these`}</span>
              </p>
              <Bar width={share(count, impressions)} isMuted={step === 0} />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function deliveredHelp(failed: number, underWay: number): string {
  if (failed === 0 && underWay === 0) return "Arrived, or nowhere to go";
  const parts = [
    ...(underWay > 0 ? [`${underWay.toLocaleString()} on the way`] : []),
    ...(failed > 0 ? [plural(failed, "failure")] : []),
  ];
  return `Arrived; ${parts.join(", ")}`;
}

function Rate({ name, value, help }: { name: string; value: string; help: string }) {
  return (
    <div>
      <dt className="text-soft">{name}</dt>
      <dd>
        <p className="text-xl font-semibold">{value}</p>
        <p className="text-sm text-soft">{help}</p>
      </dd>
    </div>
  );
}

/** A share of the whole width, in percent. What is there is never too thin to see. */
export function Bar({ width, isMuted = false }: { width: number; isMuted?: boolean }) {
  return (
    <div aria-hidden className="h-6 min-w-0 overflow-hidden rounded-md bg-sunken sm:order-2">
      <div
        className={`h-full rounded-md ${isMuted ? "bg-edge" : "bg-ink"}`}
        style={{ width: `${width === 0 ? 0 : Math.min(100, Math.max(width, 0.5))}%` }}
      />
    </div>
  );
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : (part / whole) * 100;
}
