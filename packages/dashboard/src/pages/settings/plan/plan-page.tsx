import type { Plan } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Page, Section } from "../../../components/page.tsx";
import { ErrorState, Skeleton, SkeletonRows } from "../../../components/states.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { formatSize } from "../../knowledge/document-labels.ts";
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
    <dl className="mb-8 grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-2 lg:grid-cols-5">
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
      <Fact name="Agents">
        {limits.agents === null ? "No limit" : number.format(limits.agents)}
        <div className="text-sm font-normal text-soft">{number.format(usage.agents.length)} created</div>
        {limits.agents !== null && <Meter label="Agents" value={usage.agents.length} max={limits.agents} />}
      </Fact>
      <Fact name="Document files">
        <Bytes label="Document files" used={usage.documentBytes} max={limits.documentBytes} when="Stored" />
      </Fact>
      <Fact name="New document files per day">
        <Bytes
          label="New document files today"
          used={usage.documentBytesToday}
          max={limits.documentBytesPerDay}
          when="Today (UTC)"
        />
      </Fact>
      <Fact name="Documents per agent">
        {limits.documentsPerAgent === null ? "No limit" : number.format(limits.documentsPerAgent)}
      </Fact>
      <Fact name="Chat text per agent and day">
        <Bytes
          label="Chat text of the busiest agent today"
          used={maxOf(usage.agents, "chatBytesToday")}
          max={limits.chatBytesPerAgentPerDay}
          when="Largest today (UTC)"
        />
      </Fact>
      <Fact name="Form files per agent and day">
        <Bytes
          label="Form files of the busiest agent today"
          used={maxOf(usage.agents, "submissionBytesToday")}
          max={limits.submissionBytesPerAgentPerDay}
          when="Largest today (UTC)"
        />
      </Fact>
    </dl>
  );
}

const maxOf = (agents: Plan["usage"]["agents"], name: "chatBytesToday" | "submissionBytesToday") =>
  Math.max(0, ...agents.map((agent) => agent[name]));

function Bytes({ label, used, max, when }: { label: string; used: number; max: number | null; when: string }) {
  return (
    <>
      {max === null ? "No limit" : formatSize(max)}
      <div className="text-sm font-normal text-soft">
        {when}: {formatSize(used)}
      </div>
      {max !== null && <Meter label={label} value={used} max={max} />}
    </>
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
