import { maxSearchTotal } from "@foyer/contract/rules/limits";
import { FoyerError } from "@foyer/sdk";
import { Ellipsis } from "lucide-react";
import { type RefObject, useId, useState } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { ErrorState } from "../../components/states.tsx";
import { AwayNote } from "./away-note.tsx";
import { BulkProgress } from "./bulk-progress.tsx";
import { Colleagues } from "./colleagues.tsx";
import { ConnectionLost } from "./connection-lost.tsx";
import { ConversationList, type ListHandle } from "./conversation-list.tsx";
import { ROW_HEIGHT, SkeletonRow } from "./conversation-row.tsx";
import { ExportDialog } from "./export-dialog.tsx";
import { InboxFilters } from "./inbox-filters.tsx";
import {
  describeFilters,
  type InboxSearch,
  type ListedConversation,
  noFilters,
  openView,
  readView,
  toSelection,
  viewNames,
} from "./inbox-search.ts";
import { NobodyNeedsYou, NoMatches, ViewGone } from "./inbox-states.tsx";
import { InboxTabs } from "./inbox-tabs.tsx";
import { SelectionBar, type SelectionHandle } from "./selection-bar.tsx";
import type { useConversationList } from "./use-conversation-list.ts";
import type { Selection } from "./use-selection.ts";
import { WaitingFirst, type WaitingGroup } from "./waiting-first.tsx";

type Props = {
  list: ReturnType<typeof useConversationList>;
  waiting: WaitingGroup;
  handle: RefObject<ListHandle | null>;
  field: RefObject<HTMLInputElement | null>;
  search: InboxSearch;
  openId: string | null;
  activeAt: number;
  keys: { isOn: boolean };
  selection: Selection;
  selectionActs: RefObject<SelectionHandle | null>;
  hrefOf: (row: ListedConversation) => string;
  onSearch: (part: { [Name in keyof InboxSearch]?: string | undefined }) => void;
  onOpen: (row: ListedConversation) => void;
  onActive: (id: string) => void;
  onHelp: () => void;
  /** Called when the user leaves the search for the list with the keyboard. */
  onLeaveSearch: () => void;
};

/** The left column: the number of conversations, the search, the filters and the list. */
export function ListPane({
  list,
  waiting,
  keys,
  search,
  field,
  selectionActs,
  onSearch,
  onHelp,
  onLeaveSearch,
  ...rest
}: Props) {
  const { selection } = rest;
  const { window } = list;
  const [isExporting, setExporting] = useState(false);
  const panelId = useId();
  const view = readView(search);
  const title = window ? formatTotal(window.total, { isSearch: Boolean(list.filters.q) }) : "Conversations";
  return (
    <div className="flex h-full min-h-0 flex-col">
      {selection.isOn ? (
        <SelectionBar
          selection={selection}
          filter={list.isStale ? null : toSelection(list.filters)}
          total={window?.total ?? 0}
          handle={selectionActs}
        />
      ) : (
        <header className="flex min-h-14 items-center gap-2 ps-4 pe-2 xl:ps-8">
          <h1 className="min-w-0 flex-1 truncate text-lg">{title}</h1>
          <p role="status" className="sr-only">
            {list.isStale ? "" : title}
          </p>
          <Colleagues />
          <Menu
            trigger={
              <IconButton label="More actions">
                <Ellipsis size={18} aria-hidden />
              </IconButton>
            }
            items={[
              { label: "Select conversations", onSelect: selection.start, disabled: !window?.total },
              {
                label: "Export conversations",
                onSelect: () => setExporting(true),
                disabled: !window?.total || list.isStale,
              },
              { label: "Keyboard shortcuts", onSelect: onHelp },
            ]}
          />
        </header>
      )}
      <ConnectionLost className="mb-2" />
      <AwayNote />
      <InboxTabs view={view} panelId={panelId} onOpen={(view) => onSearch(openView(view))} />
      <InboxFilters search={search} field={field} hasKeys={keys.isOn} onChange={onSearch} onLeave={onLeaveSearch} />
      <div
        id={panelId}
        role="tabpanel"
        aria-label={view ? viewNames[view] : "All conversations"}
        className="flex min-h-0 flex-1 flex-col"
      >
        <WaitingFirst {...rest} group={waiting} onShowAll={() => onSearch({ view: "waiting" })} />
        <Body
          list={list}
          waiting={waiting}
          query={search.q?.trim() ?? ""}
          search={search}
          onSearch={onSearch}
          {...rest}
        />
        {list.isBroken && (
          <div role="alert" className="flex items-center gap-3 border-t border-line px-4 py-2 xl:ps-8">
            <p className="min-w-0 flex-1">Part of the list failed to load.</p>
            <Button onClick={list.tryAgain}>Try again</Button>
          </div>
        )}
      </div>
      <BulkProgress />
      {isExporting && window && (
        <ExportDialog query={list.filters} total={window.total} onClose={() => setExporting(false)} />
      )}
    </div>
  );
}

function Body({
  list,
  waiting,
  handle,
  search,
  onSearch,
  ...rest
}: Pick<
  Props,
  | "list"
  | "waiting"
  | "handle"
  | "search"
  | "selection"
  | "openId"
  | "activeAt"
  | "hrefOf"
  | "onSearch"
  | "onOpen"
  | "onActive"
> & {
  query: string;
}) {
  const { window } = list;
  const isViewGone = search.saved && list.error instanceof FoyerError && list.error.status === 404;
  if (isViewGone) return <ViewGone onClear={() => onSearch({ saved: undefined })} />;
  if (list.error) return <ErrorState error={list.error} onRetry={() => list.retry()} />;
  if (!window) return <Loading />;
  if (window.total === 0) {
    const view = readView(search);
    if (view !== null && !search.q && describeFilters(search).every(({ name }) => isPartOfView(name)))
      return <NobodyNeedsYou view={view} />;
    return <NoMatches onClear={() => onSearch({ ...noFilters, q: undefined })} />;
  }
  return (
    <ConversationList
      // Another search begins at the top.
      key={list.key}
      columns={list.columns}
      {...rest}
      handle={handle}
      window={window}
      above={waiting}
      onRowsShown={list.onRowsShown}
      isStale={list.isStale}
      onShowFresh={() => {
        list.showNew();
        handle.current?.toTop();
      }}
    />
  );
}

/** Whether the empty state of a view also says what was filtered. */
function isPartOfView(filter: keyof InboxSearch) {
  return filter === "view" || filter === "scope";
}

function Loading() {
  return (
    <div role="status" aria-label="Loading conversations" className="overflow-hidden">
      {Array.from({ length: 8 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
        <div key={index} style={{ height: ROW_HEIGHT }}>
          <SkeletonRow />
        </div>
      ))}
    </div>
  );
}

/** The server counts the matches of a search no further than the maximum. */
function formatTotal(count: number, { isSearch }: { isSearch: boolean }) {
  const isMore = isSearch && count >= maxSearchTotal;
  return `${count.toLocaleString()}${isMore ? " or more" : ""} ${count === 1 ? "conversation" : "conversations"}`;
}
