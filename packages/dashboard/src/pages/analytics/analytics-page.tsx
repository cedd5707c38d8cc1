import type { ConversationAnalytics } from "@foyer/contract";
import { keepPreviousData, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { ButtonLink } from "../../components/button.tsx";
import { ChartPreview } from "../../components/empty-previews.tsx";
import { TextField } from "../../components/field.tsx";
import { Page, Section } from "../../components/page.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../components/states.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { AgentsTable } from "./agents-table.tsx";
import { type AnalyticsSearch, precedingRange, ranges, resolveRange } from "./analytics-range.ts";
import { Funnels } from "./funnels.tsx";
import { HandoffFigures } from "./handoff-figures.tsx";
import { HoursChart } from "./hours-chart.tsx";
import { listMetrics, type Metric } from "./metrics.ts";
import { ModelsTable } from "./models-table.tsx";
import { OverTime } from "./over-time.tsx";
import { TeamFigures } from "./team-figures.tsx";
import { Totals } from "./totals.tsx";

const route = getRouteApi("/shell/agents/$agentId/analytics");

/** Volume and quality of the conversations with an agent, or with all agents of the organization. */
export function AnalyticsPage() {
  const { agentId } = route.useParams();
  const search = route.useSearch();
  const { from, to } = resolveRange(search);
  const { scope, ...range } = search;
  const isAll = scope === "all";
  const ofAgent = isAll ? {} : { agentId };
  const figures = useQuery({
    ...endpointQuery("getConversationAnalytics", { from, to, ...ofAgent }),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
  // The server limits long ranges, so the period before is as long as the one that it returned.
  const period = figures.isPlaceholderData ? undefined : figures.data;
  const before = useQuery({
    ...endpointQuery("getConversationAnalytics", { ...precedingRange(period ?? { from, to }), ...ofAgent }),
    enabled: period !== undefined,
  });
  const { data, error, isPlaceholderData } = figures;
  return (
    <Page
      isWide
      title="Analytics"
      description="How many conversations visitors have, when, and how well the agent answers. Your own test chats are not counted."
    >
      <Choices search={search} />
      {error && !data && <ErrorState error={error} onRetry={() => void figures.refetch()} />}
      {!data && !error && <Loading />}
      {data && (
        <div aria-busy={isPlaceholderData} className={isPlaceholderData ? "opacity-60" : ""}>
          <Figures data={data} before={before.data} agentId={agentId} ofAll={isAll ? range : null} />
        </div>
      )}
    </Page>
  );
}

function Figures({
  data,
  before,
  agentId,
  ofAll,
}: {
  data: ConversationAnalytics;
  before: ConversationAnalytics | undefined;
  agentId: string;
  /** The range when the page covers all agents, used for the links to each agent. */
  ofAll: AnalyticsSearch | null;
}) {
  const [chosen, setChosen] = useState<Metric["id"]>("conversations");
  if (data.days.length === 0 && data.handoffs.count === 0) return <NoActivity agentId={agentId} />;
  const metrics = listMetrics(data);
  const metric = metrics.find(({ id }) => id === chosen) ?? (metrics[0] as Metric);
  return (
    <>
      <Totals
        metrics={metrics}
        totals={data.totals}
        before={before?.totals}
        metric={metric}
        onChange={({ id }) => setChosen(id)}
      />
      <OverTime data={data} before={before} metric={metric} />
      <HoursChart hours={data.hours} />
      {!ofAll && <Funnels period={{ agentId, from: data.from, to: data.to }} />}
      <HandoffFigures handoffs={data.handoffs} agentId={agentId} />
      <TeamFigures range={{ from: data.from, to: data.to, ...(ofAll ? {} : { agentId }) }} />
      {data.models.length > 0 && (
        <Section
          title="By model"
          description="A reply counts for the model that wrote its last step, at the price of that moment."
        >
          <ModelsTable {...data} />
        </Section>
      )}
      {ofAll && (
        <Section title="By agent">
          <AgentsTable data={data} range={ofAll} />
        </Section>
      )}
    </>
  );
}

/** Chooses the agent and the range. Both are part of the URL. */
function Choices({ search }: { search: AnalyticsSearch }) {
  const navigate = route.useNavigate();
  const { data: agents } = useSuspenseQuery(endpointQuery("listAgents"));
  const range = resolveRange(search);
  const set = (part: AnalyticsSearch) =>
    void navigate({ search: (current: AnalyticsSearch) => ({ ...current, ...part }), replace: true });
  return (
    <div className="mb-8 flex flex-wrap items-end gap-x-6 gap-y-3">
      <SegmentedControl
        label="Range"
        value={range.name}
        options={[...ranges, { value: "custom" as const, label: "Custom" }]}
        onChange={(name) => set({ range: name, from: range.from, to: range.to })}
        isSelectOnPhones
      />
      {range.name === "custom" && (
        <div className="flex flex-wrap gap-3">
          <TextField
            type="date"
            label="From"
            value={range.from}
            max={range.to}
            onChange={(from) => from !== "" && set({ from })}
          />
          <TextField
            type="date"
            label="To"
            value={range.to}
            min={range.from}
            onChange={(to) => to !== "" && set({ to })}
          />
        </div>
      )}
      {agents.length > 1 && (
        <SegmentedControl
          label="Agents"
          value={search.scope === "all" ? "all" : "one"}
          options={[
            { value: "one", label: "This agent" },
            { value: "all", label: "All agents" },
          ]}
          onChange={(scope) => set({ scope })}
        />
      )}
    </div>
  );
}

function NoActivity({ agentId }: { agentId: string }) {
  return (
    <EmptyState
      title="No conversations in this period"
      preview={<ChartPreview />}
      action={
        <ButtonLink variant="main" to="/agents/$agentId/embed" params={{ agentId }}>
          Get the embed code
        </ButtonLink>
      }
    >
      Once visitors chat with your agent, this page shows how many conversations there are, how visitors rate the
      replies, which replies fail, how many tokens they use, and at what time of day people write.
    </EmptyState>
  );
}

function Loading() {
  return (
    <div role="status" aria-label="Loading analytics" className="grid gap-6">
      <Skeleton className="h-24 rounded-lg" />
      <Skeleton className="h-72" />
      <Skeleton className="h-48" />
    </div>
  );
}
