import type { FormAnalyticsEntry } from "@foyer/contract";
import { formatPercent } from "../../components/day-text.ts";
import { toFormSteps } from "../../components/form-steps.ts";
import { Funnel, shareOf } from "../../components/funnel.tsx";

/** The rates of a form above the steps shown, started, submitted and delivered. */
export function FormFunnel({ entry }: { entry: FormAnalyticsEntry }) {
  return (
    <div className="grid gap-6">
      <dl className="grid grid-cols-3 gap-x-4 sm:flex sm:gap-x-12">
        <Rate
          name="Conversion"
          value={formatPercent(entry.conversionRate)}
          help="Share of shown forms that were submitted"
        />
        <Rate
          name="Completion"
          value={formatPercent(entry.completionRate)}
          help="Share of started forms that were submitted"
        />
        <Rate
          name="Delivery"
          value={formatPercent(shareOf(entry.successful, entry.submitted))}
          help="Share of submissions that were delivered"
        />
      </dl>
      <Funnel label="Funnel" steps={toFormSteps(entry)} />
    </div>
  );
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
