import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { useEffect } from "react";
import { ButtonLink } from "../../components/button.tsx";
import { TablePreview } from "../../components/empty-previews.tsx";
import { Page } from "../../components/page.tsx";
import { pluralize } from "../../components/plural.ts";
import { EmptyState, ErrorState, SkeletonRows } from "../../components/states.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { FailedSubmissions } from "./failed-submissions.tsx";
import { FormsTabs } from "./forms-tabs.tsx";
import { StatusHelp } from "./status-help.tsx";
import { createCsvUrl, isFiltered, pageQuery, rememberSearch, type SubmissionSearch } from "./submission-filter.ts";
import { SubmissionFilters } from "./submission-filters.tsx";
import { SubmissionPager } from "./submission-pager.tsx";
import { SubmissionsTable } from "./submissions-table.tsx";

const route = getRouteApi("/shell/agents/$agentId/forms");

/** The submissions, newest first. New ones appear automatically. */
export function SubmissionsPage() {
  const { agentId } = route.useParams();
  const search = route.useSearch();
  useEffect(() => rememberSearch(agentId, search), [agentId, search]);
  const tools = useQuery(endpointQuery("listTools", { agentId }));
  const list = useQuery({
    ...endpointQuery("listSubmissions", pageQuery(agentId, search)),
    placeholderData: keepPreviousData,
    // Refetch less often when there are very many submissions, because counting them takes the server a while.
    refetchInterval: ({ state: { data } }) => ((data?.pagination.total ?? 0) > 10_000 ? 15_000 : 4_000),
  });
  const forms = (tools.data ?? []).filter(({ executionType }) => executionType === "form");
  const total = list.data?.pagination.total ?? 0;
  const hasNone = list.data !== undefined && total === 0 && !isFiltered(search);
  return (
    <Page
      isWide
      title="Submissions"
      description="What visitors submitted with this agent's forms, and whether it was delivered."
      actions={
        total > 0 && (
          <a href={createCsvUrl(agentId, search)} download className={linkLook}>
            <Download size={16} aria-hidden /> Download CSV
          </a>
        )
      }
    >
      <FormsTabs agentId={agentId} />
      {hasNone ? (
        <NoSubmissions agentId={agentId} hasForms={forms.length > 0} isKnown={tools.data !== undefined} />
      ) : (
        <div className="grid gap-4">
          <SubmissionFilters search={search} forms={forms} />
          {!search.from && !search.to && <FailedSubmissions agentId={agentId} search={search} forms={forms} />}
          <div className="flex flex-wrap items-start gap-x-6 gap-y-1 text-soft">
            <p role="status">{list.data ? `${pluralize(total, "submission")}, newest first` : "Loading"}</p>
            <StatusHelp />
          </div>
          {list.isError && !list.data ? (
            <ErrorState error={list.error} onRetry={() => void list.refetch()} />
          ) : !list.data || !tools.data ? (
            <SkeletonRows count={12} label="Loading submissions" />
          ) : total === 0 ? (
            <NoMatch search={search} agentId={agentId} />
          ) : (
            <>
              <SubmissionsTable
                agentId={agentId}
                forms={forms}
                submissions={list.data.submissions}
                isStale={list.isPlaceholderData}
              />
              <SubmissionPager search={search} total={total} />
            </>
          )}
        </div>
      )}
    </Page>
  );
}

const linkLook =
  "inline-flex min-h-9 items-center gap-2 rounded-lg border border-line bg-raised px-3 py-1.5 whitespace-nowrap hover:bg-hover pointer-coarse:min-h-11";

function NoSubmissions({ agentId, hasForms, isKnown }: { agentId: string; hasForms: boolean; isKnown: boolean }) {
  if (!isKnown) return <SkeletonRows />;
  const [to, name] = hasForms
    ? (["/agents/$agentId/triggers", "Show a form with a trigger"] as const)
    : (["/agents/$agentId/tools/new", "Create form"] as const);
  return (
    <EmptyState
      title={hasForms ? "No submissions yet" : "No forms yet"}
      preview={<TablePreview columns={["Answers", "Status", "Form", "Submitted"]} />}
      action={
        <ButtonLink variant="main" to={to} params={{ agentId }} {...(hasForms ? {} : { search: { kind: "form" } })}>
          {name}
        </ButtonLink>
      }
    >
      {hasForms
        ? "The agent shows a form when a conversation calls for it, and a trigger can show one too. Submissions appear here within seconds, with every delivery attempt."
        : "Forms collect details from visitors during a chat, such as a date for a test ride. Submissions are delivered by webhook, email or team chat."}
    </EmptyState>
  );
}

function NoMatch({ agentId, search }: { agentId: string; search: SubmissionSearch }) {
  const words = search.status && !search.toolId && !search.from && !search.to ? "with this status" : "that match";
  return (
    <EmptyState
      title={`No submissions ${words}`}
      action={
        <ButtonLink to="/agents/$agentId/forms" params={{ agentId }} search={{}}>
          Clear filters
        </ButtonLink>
      }
    >
      Choose another status, form or period.
    </EmptyState>
  );
}
