import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { Button } from "../../components/button.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { ConversationRow, ROW_HEIGHT } from "./conversation-row.tsx";
import { type InboxSearch, isGeneral, type ListedConversation } from "./inbox-search.ts";
import type { Selection } from "./use-selection.ts";

const SHOWN = 3;

/** The conversations above the list: the visitors of all agents who have been waiting longest. */
export type WaitingGroup = { rows: readonly ListedConversation[]; total: number };

const noGroup: WaitingGroup = { rows: [], total: 0 };

/** The group of waiting visitors. It is empty for a search, a filter, and views of other conversations. */
export function useWaitingGroup(search: InboxSearch): WaitingGroup {
  const isShown = isGeneral(search);
  const query = endpointQuery("listConversations", { handler: "waiting", limit: SHOWN });
  const { data } = useQuery({ ...query, enabled: isShown });
  return useMemo(
    () => (isShown && data ? { rows: data.data, total: data.pagination.total } : noGroup),
    [isShown, data],
  );
}

/** Shows the group of waiting visitors. The list below leaves its conversations out. */
export function WaitingFirst({
  group: { rows, total },
  openId,
  hrefOf,
  selection,
  onOpen,
  onActive,
  onShowAll,
}: {
  group: WaitingGroup;
  openId: string | null;
  hrefOf: (row: ListedConversation) => string;
  selection: Selection;
  onOpen: (row: ListedConversation) => void;
  onActive: (id: string) => void;
  onShowAll: () => void;
}) {
  if (rows.length === 0) return null;
  return (
    <section aria-labelledby="waiting-first" className="border-b border-edge">
      <h2 id="waiting-first" className="px-4 pt-2 pb-1 text-sm font-medium text-soft xl:ps-8">
        Waiting for a person
      </h2>
      <ul>
        {rows.map((row) => (
          <li key={row.id} style={{ height: ROW_HEIGHT }}>
            <ConversationRow
              row={row}
              href={hrefOf(row)}
              query=""
              isOpen={row.id === openId}
              isReachable
              isSelecting={selection.isOn}
              isSelected={selection.has(row.id)}
              onToggle={selection.toggle}
              onOpen={onOpen}
              onFocus={onActive}
            />
          </li>
        ))}
      </ul>
      {total > rows.length && (
        <Button variant="plain" className="m-1 xl:ms-5" onClick={onShowAll}>
          Show {(total - rows.length).toLocaleString()} more waiting
        </Button>
      )}
    </section>
  );
}
