import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { IconButton } from "../../components/button.tsx";
import { ItemView, isNewDay, type TurnContext } from "./turn-view.tsx";
import { isTurn, type TranscriptItem } from "./with-notes.ts";

/** Up to this many items are all rendered, so that the browser's search finds them. */
const MAX_WHOLE = 100;
const NEAR_PX = 80;

/**
 * The turns and notes of a conversation. It opens at the first message that the team has not read, or at the end, and
 * follows a growing reply only while it is scrolled to the end.
 */
export function TurnList({
  items,
  context,
  readAt,
}: {
  items: readonly TranscriptItem[];
  context: TurnContext;
  /** When a member last read the conversation. If none did, it opens at the end. */
  readAt: string | null;
}) {
  // Of when it was opened. From then on, everything counts as read.
  const [unreadId] = useState(
    () => items.find((item) => readAt !== null && isTurn(item) && item.createdAt > readAt)?.id,
  );
  const { scroller, content, isAtEnd, onScroll, toEnd } = useFollowedEnd(unreadId === undefined);
  const List = items.length > MAX_WHOLE ? VirtualItems : WholeItems;
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        onScroll={onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
        tabIndex={0}
        aria-label="Messages"
        className="h-full overflow-y-auto px-4 pb-6 -outline-offset-2 sm:px-6"
      >
        <div ref={content} className="mx-auto max-w-3xl">
          <List items={items} context={context} scroller={scroller} unreadId={unreadId} />
        </div>
      </section>
      {!isAtEnd && (
        <IconButton
          label="Jump to the latest message"
          onClick={toEnd}
          className="absolute end-4 bottom-4 border border-line bg-raised"
        >
          <ArrowDown size={16} aria-hidden />
        </IconButton>
      )}
    </div>
  );
}

/**
 * Keeps growing content scrolled to its end, from the time it is there until the user scrolls away.
 * @param beginsAtEnd whether it is there from the beginning
 */
function useFollowedEnd(beginsAtEnd: boolean) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(beginsAtEnd);
  /** Whether the user may have scrolled since the content was last scrolled to its end. */
  const isByUser = useRef(!beginsAtEnd);
  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
    follows.current = true;
    isByUser.current = false;
  }, []);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    // The list of a long conversation also scrolls by itself, when rendered items turn out to be higher than estimated.
    if (isNear || isByUser.current) follows.current = isNear;
    setAtEnd(isNear);
  }, []);
  useEffect(() => {
    const observer = new ResizeObserver(() => (follows.current ? toEnd() : onScroll()));
    if (content.current) observer.observe(content.current);
    // The composer below takes some of its height, for example for a long draft.
    if (scroller.current) observer.observe(scroller.current);
    const listeners = new AbortController();
    const options = { passive: true, signal: listeners.signal };
    for (const input of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      scroller.current?.addEventListener(input, () => (isByUser.current = true), options);
    }
    return () => {
      observer.disconnect();
      listeners.abort();
    };
  }, [onScroll, toEnd]);
  return { scroller, content, isAtEnd, onScroll, toEnd };
}

type ListProps = {
  items: readonly TranscriptItem[];
  context: TurnContext;
  scroller: RefObject<HTMLDivElement | null>;
  /** The first message that the team had not read. */
  unreadId: string | undefined;
};

function WholeItems({ items, context, unreadId }: ListProps) {
  const unread = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => unread.current?.scrollIntoView(), []);
  return (
    <ol>
      {items.map((item, index) => (
        <li key={item.id} ref={item.id === unreadId ? unread : undefined}>
          {item.id === unreadId && <UnreadLine />}
          <ItemView item={item} isNewDay={isNewDay(items, index)} context={context} />
        </li>
      ))}
    </ol>
  );
}

function VirtualItems({ items, context, scroller, unreadId }: ListProps) {
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => 72 + Math.ceil((items[at] ? itemText(items[at]).length : 0) / 80) * 20,
    getItemKey: (at) => items[at]?.id ?? at,
    overscan: 8,
  });
  const unreadAt = unreadId === undefined ? -1 : items.findIndex(({ id }) => id === unreadId);
  const hasScrolled = useRef(unreadAt === -1);
  // The list knows its scroller only after a few renders.
  useEffect(() => {
    if (hasScrolled.current || !virtual.scrollElement) return;
    hasScrolled.current = true;
    virtual.scrollToIndex(unreadAt, { align: "start" });
  });
  return (
    <ol className="relative" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const item = items[index];
        return (
          item && (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              {item.id === unreadId && <UnreadLine />}
              <ItemView item={item} isNewDay={isNewDay(items, index)} context={context} />
            </li>
          )
        );
      })}
    </ol>
  );
}

function UnreadLine() {
  return (
    <p className="flex items-center gap-3 pt-3 text-sm font-semibold before:h-px before:flex-1 before:bg-edge after:h-px after:flex-1 after:bg-edge">
      New
    </p>
  );
}

const itemText = (item: TranscriptItem) => (isTurn(item) ? item.content : item.text);
