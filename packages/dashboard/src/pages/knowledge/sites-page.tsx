import type { DocumentSource, SourcePageState } from "@foyer/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { AdminNote } from "../../components/admin-fields.tsx";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { ListPreview } from "../../components/empty-previews.tsx";
import { Select } from "../../components/field.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../components/states.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";
import { useRole } from "../../data/use-role.ts";
import { KnowledgeTabs } from "./knowledge-tabs.tsx";
import { readPath, SiteDialog } from "./site-dialog.tsx";

const route = getRouteApi("/shell/agents/$agentId/knowledge/sites");
const POLL_MS = 1_500;
const PAGE_SIZE = 20;

const isUnderWay = ({ state }: DocumentSource) => state !== "idle";

/** The websites whose pages are documents of the agent. */
export function SitesPage() {
  const { agentId } = route.useParams();
  const [editing, setEditing] = useState<DocumentSource | "new" | null>(null);
  const [deleting, setDeleting] = useState<DocumentSource | null>(null);
  const list = useQuery({
    ...endpointQuery("listSources", { agentId }),
    refetchInterval: ({ state: { data } }) => (data?.sources.some(isUnderWay) ? POLL_MS : false),
  });
  const sites = list.data?.sources ?? [];
  const add = (
    <Button variant="main" onClick={() => setEditing("new")}>
      Add site
    </Button>
  );
  return (
    <Page
      isWide
      title="Sites"
      description="Websites that the agent reads. Their pages become documents and are kept up to date."
      actions={sites.length > 0 && add}
    >
      <KnowledgeTabs agentId={agentId} />
      {list.isError && !list.data ? (
        <ErrorState error={list.error} onRetry={() => void list.refetch()} />
      ) : !list.data ? (
        <SkeletonRows />
      ) : sites.length === 0 ? (
        <EmptyState title="No sites yet" action={add} preview={<ListPreview />}>
          <p>Add your help center or website. You can review the pages that were found before any of them is read.</p>
        </EmptyState>
      ) : (
        <ul className="grid">
          {sites.map((site) => (
            <Site key={site.id} site={site} onEdit={() => setEditing(site)} onDelete={() => setDeleting(site)} />
          ))}
        </ul>
      )}
      {editing && (
        <SiteDialog agentId={agentId} site={editing === "new" ? null : editing} onClose={() => setEditing(null)} />
      )}
      <DeleteSite site={deleting} onClose={() => setDeleting(null)} />
    </Page>
  );
}

function Site({ site, onEdit, onDelete }: { site: DocumentSource; onEdit: () => void; onDelete: () => void }) {
  const { id, url, error, lastSyncAt, nextSyncAt } = site;
  const [isOpen, setOpen] = useState(false);
  const { isAdmin } = useRole();
  const sync = useEndpointMutation("syncSource", { changes: ["listSources"] });
  const stop = useEndpointMutation("stopSource", { changes: ["listSources", "listSourcePages"] });
  return (
    <li className="grid gap-2 border-b border-line py-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <h2 className="min-w-0 font-medium break-all">{url}</h2>
        <SiteState site={site} />
      </div>
      <p className="text-soft">
        {describeCounts(site)}
        {lastSyncAt && (
          <>
            {" · Read "}
            <Time at={lastSyncAt} />
          </>
        )}
        {nextSyncAt && (
          <>
            {" · Next "}
            <Time at={nextSyncAt} />
          </>
        )}
      </p>
      {error && (
        <p
          className={`max-w-[80ch] border-s-2 ps-3 break-words ${error.code === "STOPPED" ? "border-line" : "border-wrong"}`}
        >
          {error.message}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {isUnderWay(site) ? (
          <Button isBusy={stop.isPending} onClick={() => stop.mutate({ id })}>
            Stop
          </Button>
        ) : (
          <Button isBusy={sync.isPending} onClick={() => sync.mutate({ id })}>
            Sync now
          </Button>
        )}
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Pages
        </Button>
        <Button onClick={onEdit}>Edit</Button>
        <Button disabled={!isAdmin} onClick={onDelete}>
          Delete site
        </Button>
      </div>
      {!isAdmin && <AdminNote>Only owners and admins can delete a site.</AdminNote>}
      {isOpen && <SitePages site={site} />}
    </li>
  );
}

function SiteState({ site }: { site: DocumentSource }) {
  if (site.state === "queued") return <Status tone="live">Waiting</Status>;
  if (site.state === "idle" && site.error?.code === "STOPPED") return <Status>Stopped</Status>;
  if (site.state === "idle") {
    return site.error ? <Status tone="warning">Needs attention</Status> : <Status tone="fine">Up to date</Status>;
  }
  const total = Object.values(site.pages).reduce((sum, count) => sum + count, 0);
  const done = total - site.pages.pending;
  return (
    <Status tone="live">
      {total === 0 ? "Finding pages" : `Reading, ${done.toLocaleString()} of ${total.toLocaleString()}`}
    </Status>
  );
}

function describeCounts({ pages: { read, skipped, missing, failed } }: DocumentSource): string {
  const others = [
    skipped > 0 ? `${skipped.toLocaleString()} skipped` : "",
    missing > 0 ? `${missing.toLocaleString()} missing` : "",
    failed > 0 ? `${failed.toLocaleString()} failed` : "",
  ].filter(Boolean);
  return [read === 1 ? "1 page" : `${read.toLocaleString()} pages`, ...others].join(", ");
}

const pageStates = { pending: "Waiting", read: "Read", skipped: "Skipped", missing: "Missing", failed: "Failed" };

const pageStateOptions = [
  { value: "" as const, label: "All" },
  ...(Object.keys(pageStates) as SourcePageState[]).map((value) => ({ value, label: pageStates[value] })),
];

/** The pages of a site in one state, a few at a time, because there may be thousands. */
function SitePages({ site }: { site: DocumentSource }) {
  const [state, setState] = useState<SourcePageState | "">("");
  return (
    <div className="grid gap-2">
      <UnusedPages site={site} />
      <div className="max-w-40">
        <Select label="State" value={state} options={pageStateOptions} onChange={setState} />
      </div>
      <PagesInState key={state} site={site} state={state || null} />
    </div>
  );
}

/** Why pages that were found are not used. */
function UnusedPages({ site }: { site: DocumentSource }) {
  const { data } = useQuery({
    ...endpointQuery("getSource", { id: site.id }),
    refetchInterval: isUnderWay(site) ? POLL_MS : false,
  });
  if (!data || data.unused.length === 0) return null;
  return (
    <ul aria-label="Why pages are not used" className="grid gap-1 text-sm text-soft">
      {data.unused.map(({ reason, count }) => (
        <li key={reason}>
          {count === 1 ? "1 page" : `${count.toLocaleString()} pages`}: {reason}
        </li>
      ))}
    </ul>
  );
}

function PagesInState({ site, state: wanted }: { site: DocumentSource; state: SourcePageState | null }) {
  const { id, agentId } = site;
  const [page, setPage] = useState(1);
  const range = { id, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE };
  const list = useQuery({
    ...endpointQuery("listSourcePages", wanted === null ? range : { ...range, state: wanted }),
    placeholderData: keepPreviousData,
    refetchInterval: isUnderWay(site) ? POLL_MS : false,
  });
  if (list.isError && !list.data) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  if (!list.data) return <SkeletonRows count={3} />;
  return (
    <div className="grid gap-2">
      {list.data.pages.length === 0 && (
        <p role="status" className="py-2 text-soft">
          {wanted === null ? "No pages found yet." : "No pages are in this state."}
        </p>
      )}
      <ul aria-label={`Pages of ${site.url}`} className="grid">
        {list.data.pages.map(({ url, state, reason, documentId, title }) => (
          <li
            key={url}
            className="grid gap-x-4 border-b border-line py-2 last:border-b-0 sm:grid-cols-[minmax(0,1fr)_auto]"
          >
            <div className="min-w-0">
              {documentId ? (
                <Link
                  to="/agents/$agentId/knowledge/$documentId"
                  params={{ agentId, documentId }}
                  className="break-words underline underline-offset-2"
                >
                  {title ?? readPath(url)}
                </Link>
              ) : (
                <span className="break-all">{readPath(url)}</span>
              )}
              {reason && <p className="text-sm break-words text-soft">{reason}</p>}
            </div>
            <span className="text-soft">{pageStates[state]}</span>
          </li>
        ))}
      </ul>
      <Pager page={page} size={PAGE_SIZE} total={list.data.pagination.total} onGo={setPage} />
    </div>
  );
}

function DeleteSite({ site, onClose }: { site: DocumentSource | null; onClose: () => void }) {
  const call = useEndpointMutation("deleteSource", {
    changes: ["listSources", "listDocuments", "getDocumentLimits"],
    done: "Site deleted",
  });
  return (
    <ConfirmDialog
      title={`Delete ${site?.url ?? "site"}?`}
      action="Delete site"
      isOpen={site !== null}
      isBusy={call.isPending}
      onClose={onClose}
      onConfirm={() => site && call.mutate({ id: site.id }, { onSuccess: onClose })}
    >
      <p>This also deletes the documents of its pages. The agent stops using them immediately.</p>
    </ConfirmDialog>
  );
}
