import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef } from "react";
import { Button } from "../../components/button.tsx";
import { ConversationRow, ROW_HEIGHT, SkeletonRow } from "./conversation-row.tsx";
import type { ListedConversation } from "./inbox-search.ts";
import { findPosition, type ListWindow, rowAt } from "./list-window.ts";
import type { SavedView } from "./saved-view-text.ts";
import type { Selection } from "./use-selection.ts";
import type { WaitingGroup } from "./waiting-first.tsx";

/** Methods of the list that the page calls. */
export type ListHandle = {
  isAtTop: () => boolean;
  /** Scrolls to a position and focuses its conversation. */
  focus: (at: number) => void;
  toTop: () => void;
  /** The first visible position. */
  first: () => number;
};

/** The list of all conversations. Only visible rows are rendered. */
export function ConversationList({
  handle,
  window: list,
  above,
  openId,
  activeAt,
  hrefOf,
  query,
  onRowsShown,
  isStale,
  selection,
  onOpen,
  onActive,
  onShowFresh,
  columns,
}: {
  handle: RefObject<ListHandle | null>;
  window: ListWindow;
  /** Conversations that are shown above the list, which leaves them out. */
  above: WaitingGroup;
  openId: string | null;
  /** The position that Tab reaches. Its row stays rendered while it is not visible, so that the focus is not lost. */
  activeAt: number;
  hrefOf: (row: ListedConversation) => string;
  /** The search text, which is highlighted in the rows. */
  query: string;
  onRowsShown: (first: number, last: number) => void;
  isStale: boolean;
  selection: Selection;
  onOpen: (row: ListedConversation) => void;
  onActive: (id: string) => void;
  onShowFresh: () => void;
  columns?: SavedView["columns"] | undefined;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const focusing = useRef(0);
  const left = useMemo(
    () => above.rows.map(({ id }) => findPosition(list, id)).filter((at) => at !== -1),
    [above, list],
  );
  const rangeExtractor = useCallback(
    (range: Range) => {
      const seen = defaultRangeExtractor(range);
      return activeAt < 0 || activeAt >= range.count || seen.includes(activeAt)
        ? seen
        : [...seen, activeAt].sort((a, b) => a - b);
    },
    [activeAt],
  );
  const virtual = useVirtualizer({
    count: list.total,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (left.includes(at) ? 0 : ROW_HEIGHT),
    overscan: 6,
    rangeExtractor,
    useFlushSync: false,
  });
  const leftKey = left.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: these positions have no height
  useLayoutEffect(() => virtual.measure(), [virtual, leftKey]);
  const { startIndex = 0, endIndex = 0 } = virtual.range ?? {};
  useEffect(() => onRowsShown(startIndex, endIndex), [onRowsShown, startIndex, endIndex]);

  useImperativeHandle(handle, () => ({
    isAtTop: () => (scroller.current?.scrollTop ?? 0) < ROW_HEIGHT / 2,
    first: () => {
      const item = virtual.getVirtualItemForOffset((scroller.current?.scrollTop ?? 0) + ROW_HEIGHT - 1);
      return item?.index ?? 0;
    },
    toTop: () => scroller.current?.scrollTo({ top: 0 }),
    focus: (at) => {
      virtual.scrollToIndex(at, { align: "auto" });
      const id = rowAt(list, at)?.id;
      const focused = document.activeElement;
      // The row is rendered once the list has scrolled to it. By then, the user may have moved the focus elsewhere.
      // A second key press before that moves on to its own row.
      cancelAnimationFrame(focusing.current);
      focusing.current = requestAnimationFrame(() => {
        if (focused?.isConnected && document.activeElement !== focused) return;
        scroller.current?.querySelector<HTMLElement>(`[data-conversation="${id}"]`)?.focus({ preventScroll: true });
      });
    },
  }));

  return (
    <div className="relative min-h-0 flex-1">
      {list.fresh > 0 && (
        <div className="absolute inset-x-0 top-2 z-10 flex justify-center">
          <Button variant="main" className="appear min-h-8 rounded-full" onClick={onShowFresh}>
            {list.fresh.toLocaleString()} new
          </Button>
        </div>
      )}
      <div
        ref={scroller}
        className={`h-full overflow-y-auto overscroll-contain transition-opacity ${isStale ? "opacity-60" : ""}`}
        aria-busy={isStale || undefined}
      >
        <ul aria-label="Conversations" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            if (left.includes(index)) return null;
            const row = rowAt(list, index);
            return (
              <li
                key={index}
                aria-setsize={list.total - left.length}
                aria-posinset={index + 1 - left.filter((at) => at < index).length}
                className="absolute inset-x-0 top-0"
                style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
              >
                {row ? (
                  <ConversationRow
                    row={row}
                    href={hrefOf(row)}
                    query={query}
                    columns={columns}
                    isOpen={row.id === openId}
                    isReachable={index === activeAt || (activeAt < 0 && index === startIndex)}
                    isSelecting={selection.isOn}
                    isSelected={selection.has(row.id)}
                    onToggle={selection.toggle}
                    onOpen={onOpen}
                    onFocus={onActive}
                  />
                ) : (
                  <SkeletonRow />
                )}
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
}
