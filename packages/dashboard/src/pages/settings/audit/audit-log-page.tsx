import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ButtonLink } from "../../../components/button.tsx";
import { TablePreview } from "../../../components/empty-previews.tsx";
import { Page } from "../../../components/page.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { AuditTable } from "./audit-table.tsx";

const route = getRouteApi("/shell/settings/audit-log");
const PAGE = 50;
const number = new Intl.NumberFormat();

/** The paginated audit log: who did what, when and from where. */
export function AuditLogPage() {
  const { page = 1 } = route.useSearch();
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...endpointQuery("listAuditLog", { limit: PAGE, offset: (page - 1) * PAGE }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      isWide
      title="Audit log"
      description="Who changed what, when and from where. Records which settings changed, not their values. Entries are kept for 400 days."
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={12} label="Loading the log" />}
      {data && !error && data.entries.length === 0 && <EmptyLog isPastEnd={data.pagination.total > 0} />}
      {data && !error && data.entries.length > 0 && (
        <div className={isPlaceholderData ? "opacity-60" : ""}>
          <AuditTable entries={data.entries} />
          <Pages page={page} total={data.pagination.total} />
        </div>
      )}
    </Page>
  );
}

function Pages({ page, total }: { page: number; total: number }) {
  const last = Math.min(page * PAGE, total);
  return (
    <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center gap-2">
      <p className="flex-1 text-soft">
        {number.format((page - 1) * PAGE + 1)} to {number.format(last)} of {number.format(total)}
      </p>
      {page > 1 && (
        <ButtonLink to="/settings/audit-log" search={page === 2 ? {} : { page: page - 1 }}>
          Newer
        </ButtonLink>
      )}
      {last < total && (
        <ButtonLink to="/settings/audit-log" search={{ page: page + 1 }}>
          Older
        </ButtonLink>
      )}
    </nav>
  );
}

function EmptyLog({ isPastEnd }: { isPastEnd: boolean }) {
  if (!isPastEnd) {
    return (
      <EmptyState title="No entries yet" preview={<TablePreview columns={["When", "What", "Who", "From"]} />}>
        Every change made by members or through the API appears here.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="This page is past the end of the log"
      action={
        <ButtonLink to="/settings/audit-log" search={{}}>
          Show newest entries
        </ButtonLink>
      }
    >
      The log has fewer pages.
    </EmptyState>
  );
}
