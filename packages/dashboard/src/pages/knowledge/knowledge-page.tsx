import type { Document } from "@foyer/contract";
import { keepPreviousData, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { TablePreview } from "../../components/empty-previews.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../components/states.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { type AddableKind, AddDialog, AddMenu } from "./add-document.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { DeleteDocument } from "./delete-document.tsx";
import { DocumentFilters } from "./document-filters.tsx";
import { isUnderWay } from "./document-labels.ts";
import { listQuery, PAGE_SIZE } from "./document-search.ts";
import { DocumentTable } from "./document-table.tsx";
import { DropArea } from "./drop-area.tsx";
import { AgentEmbeddings } from "./embedding-progress.tsx";
import { KnowledgeTabs } from "./knowledge-tabs.tsx";
import { TrySearch } from "./try-search.tsx";
import { useSelection } from "./use-selection.ts";
import { useUploads } from "./use-uploads.ts";

const route = getRouteApi("/shell/agents/$agentId/knowledge");
const POLL_MS = 1_500;

/** The documents that the agent searches and cites, and a form to try a search. */
export function KnowledgePage() {
  const { agentId } = route.useParams();
  return <Knowledge key={agentId} agentId={agentId} />;
}

function Knowledge({ agentId }: { agentId: string }) {
  const { data: limits } = useSuspenseQuery(endpointQuery("getDocumentLimits", { agentId }));
  const [adding, setAdding] = useState<AddableKind | null>(null);
  const uploads = useUploads(agentId, limits.maxFileBytes);
  const input = useRef<HTMLInputElement>(null);
  const isFull = limits.canCreate === false;
  const isEmpty = limits.current === 0;
  const add = !isFull && <AddMenu onAdd={setAdding} onChooseFiles={() => input.current?.click()} />;
  return (
    <Page
      isWide
      title="Knowledge"
      description="Documents that the agent searches before it replies. Replies cite those they use."
      actions={!isEmpty && add}
    >
      <KnowledgeTabs agentId={agentId} />
      {isFull && <FullNote limit={limits.limit} />}
      <DropArea uploads={uploads} input={input} />
      {isEmpty ? (
        <EmptyState
          title="No documents yet"
          action={add}
          preview={<TablePreview columns={["Title", "Kind", "State", "Changed"]} />}
        >
          <p>
            Give the agent your return policy, price list or opening hours, and it answers from them. Add one below, or
            drop files anywhere on this page.
          </p>
        </EmptyState>
      ) : (
        <Documents agentId={agentId} />
      )}
      {limits.limit != null && !isFull && !isEmpty && (
        <p className="mt-3 text-sm text-soft">
          {limits.current} of {limits.limit} documents
        </p>
      )}
      {!isEmpty && <AgentEmbeddings agentId={agentId} />}
      {!isEmpty && (
        <div className="mt-8 border-t border-line pt-6">
          <TrySearch agentId={agentId} />
        </div>
      )}
      {adding && <AddDialog kind={adding} agentId={agentId} onClose={() => setAdding(null)} />}
    </Page>
  );
}

function FullNote({ limit }: { limit: number | null }) {
  return (
    <p role="status" className="mb-6 rounded-lg border border-line bg-sunken px-4 py-3">
      This agent has all {limit} documents that the plan allows. To add another, delete one or{" "}
      <Link to="/settings/plan" className="underline underline-offset-2">
        look at the plan
      </Link>
      .
    </p>
  );
}

function Documents({ agentId }: { agentId: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [deleting, setDeleting] = useState<Document | null>(null);
  const list = useQuery({
    ...endpointQuery("listDocuments", listQuery(agentId, search)),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.documents.some(isUnderWay) ? POLL_MS : false),
  });
  const documents = list.data?.documents ?? [];
  const { page = 1, ...filter } = search;
  const selection = useSelection(JSON.stringify(search));
  // Documents that were deleted in the meantime are no longer selected.
  const selected = documents.filter(({ id }) => selection.ids.has(id));
  if (list.isError && !list.data) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <DocumentFilters search={search} />
      {!list.data ? (
        <SkeletonRows />
      ) : documents.length > 0 ? (
        <>
          {selected.length > 0 && <BulkActions selected={selected} onClear={selection.clear} />}
          <DocumentTable
            documents={documents}
            selected={selection.ids}
            onSelect={selection.select}
            onDelete={setDeleting}
          />
        </>
      ) : (
        <p role="status" className="py-4 text-soft">
          No documents match.
        </p>
      )}
      {list.data && (
        <Pager
          page={page}
          size={PAGE_SIZE}
          total={list.data.pagination.total}
          onGo={(target) => void navigate({ search: target === 1 ? filter : { ...filter, page: target } })}
        />
      )}
      <DeleteDocument document={deleting} onClose={() => setDeleting(null)} />
    </div>
  );
}
