import type { FormAnalyticsEntry, Tool } from "@foyer/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ButtonLink } from "../../components/button.tsx";
import { ChartPreview } from "../../components/empty-previews.tsx";
import { Select } from "../../components/field.tsx";
import { Page, Section } from "../../components/page.tsx";
import { SegmentedControl } from "../../components/segmented-control.tsx";
import { EmptyState, ErrorState, Skeleton } from "../../components/states.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import { endpointQuery } from "../../data/queries.ts";
import { analyticsQuery, fillDays, findRange, type Range, ranges, toFieldRates } from "./analytics-days.ts";
import { DaysChart } from "./days-chart.tsx";
import { DaysTable } from "./days-table.tsx";
import { FieldDropOff } from "./field-drop-off.tsx";
import { FormFunnel } from "./form-funnel.tsx";
import { FormsComparison } from "./forms-comparison.tsx";
import { FormsTabs } from "./forms-tabs.tsx";

const route = getRouteApi("/shell/agents/$agentId/forms/analytics");

/** Form analytics: how many visitors see, start and submit each form, and where they drop off. */
export function FormAnalyticsPage() {
  const { agentId } = route.useParams();
  const search = route.useSearch();
  const range = findRange(search.range);
  const tools = useQuery(endpointQuery("listTools", { agentId }));
  const figures = useQuery({
    ...endpointQuery("getFormAnalytics", analyticsQuery(agentId, range)),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });
  const entries = figures.data?.analytics ?? [];
  const chosen = entries.find(({ toolId }) => toolId === search.toolId) ?? findBusiest(entries);
  const failure = [figures, tools].find(({ isError, data }) => isError && !data);
  return (
    <Page isWide title="Form analytics" description="How far visitors get in each form, and where they drop off.">
      <FormsTabs agentId={agentId} />
      {failure ? (
        <ErrorState error={failure.error} onRetry={() => void failure.refetch()} />
      ) : !figures.data || !tools.data ? (
        <AnalyticsSkeleton />
      ) : !chosen ? (
        <NoForms agentId={agentId} />
      ) : (
        <>
          <Choices entries={entries} chosen={chosen} range={range} />
          <div aria-busy={figures.isPlaceholderData} className={figures.isPlaceholderData ? "opacity-60" : ""}>
            <FormFigures
              agentId={agentId}
              range={range}
              entry={chosen}
              tool={tools.data.find(({ id }) => id === chosen.toolId)}
            />
            {entries.length > 1 && (
              <FormsComparison agentId={agentId} entries={entries} range={range} chosenId={chosen.toolId} />
            )}
          </div>
        </>
      )}
    </Page>
  );
}

function findBusiest(entries: readonly FormAnalyticsEntry[]): FormAnalyticsEntry | undefined {
  return entries.toSorted((a, b) => b.impressions - a.impressions)[0];
}

type Chosen = { entries: readonly FormAnalyticsEntry[]; chosen: FormAnalyticsEntry; range: Range };

function Choices({ entries, chosen, range }: Chosen) {
  const navigate = route.useNavigate();
  return (
    <div className="mb-6 flex flex-wrap items-end gap-x-6 gap-y-3">
      {entries.length > 1 && (
        <div className="w-60 max-w-full">
          <Select
            label="Form"
            value={chosen.toolId}
            onChange={(toolId) => void navigate({ search: (search) => ({ ...search, toolId }), replace: true })}
            options={entries.map(({ toolId, toolName }) => ({ value: toolId, label: toolTitle(toolName) }))}
          />
        </div>
      )}
      <SegmentedControl
        label="Time"
        isSelectOnPhones
        value={range.id}
        onChange={(id) => void navigate({ search: (search) => ({ ...search, range: id }), replace: true })}
        options={ranges.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </div>
  );
}

type Figures = { agentId: string; entry: FormAnalyticsEntry; tool: Tool | undefined; range: Range };

function FormFigures({ agentId, entry, tool, range }: Figures) {
  if (entry.impressions === 0) return <NotShown agentId={agentId} entry={entry} range={range} />;
  const days = fillDays(entry.days ?? [], range);
  return (
    <>
      <Section
        title={toolTitle(entry.toolName)}
        description="Each step with its share of the previous step."
        actions={
          tool && (
            <ButtonLink to="/agents/$agentId/tools/$toolId" params={{ agentId, toolId: tool.id }}>
              Edit form
            </ButtonLink>
          )
        }
      >
        <FormFunnel entry={entry} />
      </Section>
      <Section title="Over time" description="Days are in UTC. A delivery counts on the day of its submission.">
        <DaysChart days={days} />
        <DaysTable days={days} />
      </Section>
      <Section title="By field" description="The share of started forms in which each field was filled in.">
        <FieldDropOff
          started={entry.started}
          rates={toFieldRates(tool?.formSchema?.fields ?? [], entry.fieldCompletionRates)}
        />
      </Section>
    </>
  );
}

function NotShown({ agentId, entry, range }: Pick<Figures, "agentId" | "entry" | "range">) {
  const when = range.days === null ? "yet" : `in the last ${range.name}`;
  return (
    <EmptyState
      title={`“${toolTitle(entry.toolName)}” was not shown ${when}`}
      preview={<ChartPreview />}
      action={
        <ButtonLink variant="main" to="/agents/$agentId/triggers" params={{ agentId }}>
          Show it with a trigger
        </ButtonLink>
      }
    >
      The agent shows the form when a conversation calls for it, and a trigger can show it too. This page then shows how
      many visitors see, start and submit it.
    </EmptyState>
  );
}

function NoForms({ agentId }: { agentId: string }) {
  return (
    <EmptyState
      title="No forms yet"
      preview={<ChartPreview />}
      action={
        <ButtonLink variant="main" to="/agents/$agentId/tools/new" params={{ agentId }} search={{ kind: "form" }}>
          Create form
        </ButtonLink>
      }
    >
      Forms collect details from visitors during a chat. Once you have one, this page shows how many visitors see, start
      and submit it, and where they drop off.
    </EmptyState>
  );
}

function AnalyticsSkeleton() {
  return (
    <div role="status" aria-label="Loading analytics" className="grid gap-6">
      <Skeleton className="h-9 w-72" />
      <Skeleton className="h-48" />
      <Skeleton className="h-72" />
    </div>
  );
}
