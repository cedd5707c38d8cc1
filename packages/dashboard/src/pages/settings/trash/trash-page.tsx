import type { TrashItem, TrashKind } from "@foyer/contract";
import { isAtLeast, minimumRole } from "@foyer/contract/rules/roles";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button, ButtonLink } from "../../../components/button.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { TablePreview } from "../../../components/empty-previews.tsx";
import { Page } from "../../../components/page.tsx";
import { pluralize } from "../../../components/plural.ts";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { EmptyState, ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { toolTitle } from "../../../components/tool-title.ts";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { restoreFromTrash } from "../../../data/trash.ts";
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";

const route = getRouteApi("/shell/settings/trash");
const PAGE = 50;
const number = new Intl.NumberFormat();

const kindNames = {
  agent: "Agent",
  conversation: "Conversation",
  document: "Document",
  tool: "Tool",
  trigger: "Trigger",
} satisfies Record<TrashKind, string>;

const filters = [
  { value: "all", label: "All" },
  { value: "agent", label: "Agents" },
  { value: "conversation", label: "Conversations" },
  { value: "document", label: "Documents" },
  { value: "tool", label: "Tools" },
  { value: "trigger", label: "Triggers" },
] as const;

const titleOf = ({ kind, name }: Pick<TrashItem, "kind" | "name">) => (kind === "tool" ? toolTitle(name) : name);

/** What members have deleted, which they can restore or delete permanently. */
export function TrashPage() {
  const { kind, page = 1 } = route.useSearch();
  const navigate = useNavigate();
  const [isEmptying, setEmptying] = useState(false);
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...endpointQuery("listTrash", { limit: PAGE, offset: (page - 1) * PAGE, ...(kind ? { kind } : {}) }),
    placeholderData: keepPreviousData,
  });
  const total = data?.pagination.total ?? 0;
  const mayDelete = useMayDelete();
  return (
    <Page
      isWide
      title="Trash"
      description={
        data?.keptDays === 0
          ? "This server keeps no trash. What you delete is deleted permanently at once."
          : `What your team deleted in the dashboard. It is deleted permanently after ${pluralize(data?.keptDays ?? 30, "day")}.`
      }
    >
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <SegmentedControl
          label="Show"
          isSelectOnPhones
          value={kind ?? "all"}
          options={filters}
          onChange={(value) => navigate({ to: "/settings/trash", search: value === "all" ? {} : { kind: value } })}
        />
        {mayDelete && (
          <Button className="ms-auto" disabled={total === 0} onClick={() => setEmptying(true)}>
            Empty trash
          </Button>
        )}
      </div>
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={8} label="Loading the trash" />}
      {data && data.items.length === 0 && <EmptyTrash isFiltered={kind !== undefined || page > 1} />}
      {data && data.items.length > 0 && (
        <div className={isPlaceholderData ? "opacity-60" : ""}>
          <TrashTable items={data.items} />
          <Pages page={page} kind={kind} total={total} />
        </div>
      )}
      {isEmptying && <EmptyDialog onClose={() => setEmptying(false)} />}
    </Page>
  );
}

/** Whether this person may delete something permanently. */
function useMayDelete(): boolean {
  const role = useQuery(endpointQuery("getSession")).data?.role ?? "member";
  return isAtLeast(role, minimumRole("DELETE", "/trash"));
}

function TrashTable({ items }: { items: TrashItem[] }) {
  const mayDelete = useMayDelete();
  const [deleting, setDeleting] = useState<TrashItem | null>(null);
  const restore = useMutation({
    mutationFn: (item: TrashItem) => restoreFromTrash(item.kind, { ...item, name: titleOf(item) }),
  });
  return (
    <>
      <Table
        label="Trash"
        head={
          <>
            <Th>Name</Th>
            <Th className="hidden sm:table-cell">Deleted</Th>
            <Th className="hidden md:table-cell">Deleted permanently</Th>
            <ActionsHeader />
          </>
        }
      >
        {items.map((item) => (
          <Tr key={item.id}>
            <Td className="w-full">
              <div className="font-medium wrap-anywhere">{titleOf(item)}</div>
              <div className="text-sm text-soft">
                {kindNames[item.kind]}
                {item.kind !== "agent" && ` of ${item.agentName}`}
                {item.trashedBy && `, deleted by ${item.trashedBy}`}
                {item.isAgentInTrash && ". Restore its agent first."}
              </div>
            </Td>
            <Td className="hidden text-soft sm:table-cell">
              <Time at={item.trashedAt} />
            </Td>
            <Td className="hidden text-soft md:table-cell">{item.deletesAt && <Time at={item.deletesAt} />}</Td>
            <ActionsCell>
              <Button
                variant="plain"
                aria-label={`Restore ${titleOf(item)}`}
                disabled={item.isAgentInTrash || restore.isPending}
                // The error is shown as a toast.
                onClick={() => restore.mutate(item)}
              >
                Restore
              </Button>
              {mayDelete && (
                <Button
                  variant="plain"
                  className="text-soft"
                  aria-label={`Delete ${titleOf(item)} permanently`}
                  onClick={() => setDeleting(item)}
                >
                  Delete
                </Button>
              )}
            </ActionsCell>
          </Tr>
        ))}
      </Table>
      {deleting && <DeleteDialog item={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

function DeleteDialog({ item, onClose }: { item: TrashItem; onClose: () => void }) {
  const title = titleOf(item);
  const remove = useEndpointMutation("deleteFromTrash", {
    changes: ["listTrash"],
    done: `${title} deleted permanently`,
  });
  return (
    <ConfirmDialog
      title={`Delete ${title} permanently?`}
      action="Delete permanently"
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ id: item.id }, { onSettled: onClose })}
    >
      <p>{item.kind === "agent" ? "This deletes everything that belongs to the agent." : "This cannot be undone."}</p>
    </ConfirmDialog>
  );
}

function EmptyDialog({ onClose }: { onClose: () => void }) {
  const empty = useEndpointMutation("emptyTrash", {
    changes: ["listTrash"],
    done: ({ deleted }) => `${pluralize(deleted, "entry", "entries")} deleted permanently`,
  });
  return (
    <ConfirmDialog
      title="Empty the trash?"
      action="Empty trash"
      isOpen
      isBusy={empty.isPending}
      onClose={onClose}
      onConfirm={() => empty.mutate(undefined, { onSettled: onClose })}
    >
      <p>Everything in the trash is deleted permanently, of all kinds and agents. This cannot be undone.</p>
    </ConfirmDialog>
  );
}

function Pages({ page, kind, total }: { page: number; kind: TrashKind | undefined; total: number }) {
  const last = Math.min(page * PAGE, total);
  const ofKind = kind ? { kind } : {};
  return (
    <nav aria-label="Pages" className="mt-4 flex flex-wrap items-center gap-2">
      <p className="flex-1 text-soft">
        {number.format((page - 1) * PAGE + 1)} to {number.format(last)} of {number.format(total)}
      </p>
      {page > 1 && (
        <ButtonLink to="/settings/trash" search={{ ...ofKind, ...(page === 2 ? {} : { page: page - 1 }) }}>
          Newer
        </ButtonLink>
      )}
      {last < total && (
        <ButtonLink to="/settings/trash" search={{ ...ofKind, page: page + 1 }}>
          Older
        </ButtonLink>
      )}
    </nav>
  );
}

function EmptyTrash({ isFiltered }: { isFiltered: boolean }) {
  return (
    <EmptyState
      title={isFiltered ? "Nothing of this kind in the trash" : "The trash is empty"}
      preview={<TablePreview columns={["Name", "Deleted", "Deleted permanently"]} />}
      {...(isFiltered
        ? {
            action: (
              <ButtonLink to="/settings/trash" search={{}}>
                Show everything
              </ButtonLink>
            ),
          }
        : {})}
    >
      Agents, conversations, documents, tools and triggers that you delete appear here, and you can restore them.
    </EmptyState>
  );
}
