import type { Plan } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Page, Section } from "../../../components/page.tsx";
import { ErrorState, Skeleton, SkeletonRows } from "../../../components/states.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { AgentUsageTable } from "./agent-usage-table.tsx";
import { Meter } from "./meter.tsx";

const number = new Intl.NumberFormat();
const monthName = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });

/** The plan's limits and this month's usage. */
export function PlanPage() {
  // Refetched, because the number of requests in the current minute changes while the page is open.
  const { data: plan, error, refetch } = useQuery({ ...endpointQuery("getPlan"), refetchInterval: 10_000 });
  return (
    <Page title="Plan" description="Your organization's limits and usage.">
      {error && !plan && <ErrorState error={error} onRetry={refetch} />}
      {!plan && !error && <Loading />}
      {plan && (
        <>
          <Limits plan={plan} />
          <Section title={`Usage in ${monthName.format(new Date())}`} description="Calendar month in UTC.">
            <AgentUsageTable agents={plan.usage.agents} toolsPerAgent={plan.limits.toolsPerAgent} />
          </Section>
        </>
      )}
    </Page>
  );
}

function Limits({ plan: { planId, limits, usage } }: { plan: Plan }) {
  return (
    <dl className="mb-8 grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-2 lg:grid-cols-4">
      <Fact name="Plan">
        <span className="capitalize">{planId}</span>
      </Fact>
      <Fact name="API requests per minute">
        {limits.requestsPerMinute === null ? "No limit" : number.format(limits.requestsPerMinute)}
        <div className="text-sm font-normal text-soft">{number.format(usage.requestsThisMinute)} this minute</div>
        {limits.requestsPerMinute !== null && (
          <Meter label="API requests this minute" value={usage.requestsThisMinute} max={limits.requestsPerMinute} />
        )}
      </Fact>
      <Fact name="Tokens per month">
        {limits.operatorTokensPerMonth === null ? "No limit" : number.format(limits.operatorTokensPerMonth)}
        <div className="text-sm font-normal text-soft">
          {number.format(usage.operatorTokensThisMonth)} used with this server's provider keys
        </div>
        {limits.operatorTokensPerMonth !== null && (
          <Meter label="Tokens this month" value={usage.operatorTokensThisMonth} max={limits.operatorTokensPerMonth} />
        )}
      </Fact>
      <Fact name="Tools per agent">
        {limits.toolsPerAgent === null ? "No limit" : number.format(limits.toolsPerAgent)}
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="bg-paper px-4 py-3">
      <dt className="text-soft">{name}</dt>
      <dd className="text-lg font-semibold">{children}</dd>
    </div>
  );
}

function Loading() {
  return (
    <>
      <Skeleton className="mb-8 h-[94px] rounded-lg" />
      <SkeletonRows count={4} label="Loading usage" />
    </>
  );
}
