import type { ConversationCounts } from "@foyer/contract";
import type { ReactNode } from "react";
import { formatPercent } from "../../components/day-text.ts";
import { percentOf } from "./analytics-range.ts";

const number = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

/** The totals of the range. */
export function Totals({ totals }: { totals: ConversationCounts }) {
  const { conversations, replies, failedReplies, ratedUp, ratedDown, inputTokens, outputTokens } = totals;
  const rated = ratedUp + ratedDown;
  const good = percentOf(ratedUp, rated);
  const failed = percentOf(failedReplies, replies);
  const tokens = inputTokens + outputTokens;
  return (
    <div className="mb-8">
      <TotalList>
        <Total name="Conversations" value={number.format(conversations)} />
        <Total
          name="Replies"
          value={number.format(replies)}
          note={conversations > 0 ? `${(replies / conversations).toFixed(1)} per conversation` : ""}
        />
        <Total
          name="Rated good"
          value={good === null ? "–" : formatPercent(good)}
          note={rated === 0 ? "No ratings yet" : `${number.format(ratedUp)} good, ${number.format(ratedDown)} bad`}
        />
        <Total
          name="Failed replies"
          value={number.format(failedReplies)}
          note={failed === null ? "" : `${formatPercent(failed)} of replies`}
        />
        <Total
          name="Tokens"
          value={compact.format(tokens)}
          note={`${compact.format(inputTokens)} in, ${compact.format(outputTokens)} out`}
        />
      </TotalList>
    </div>
  );
}

/** Five totals side by side, or below each other on a narrow screen. */
export function TotalList({ children }: { children: ReactNode }) {
  return (
    <dl className="grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-2 lg:grid-cols-5">
      {children}
    </dl>
  );
}

export function Total({ name, value, note = "" }: { name: string; value: string; note?: string }) {
  return (
    <div className="bg-paper px-4 py-3 max-lg:last:col-span-full">
      <dt className="text-soft">{name}</dt>
      <dd>
        <p className="text-xl font-semibold">{value}</p>
        <p className="min-h-5 text-sm text-soft">{note}</p>
      </dd>
    </div>
  );
}
