import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { IconButton } from "../../components/button.tsx";
import { ItemView, isNewDay, type TurnContext } from "./turn-view.tsx";
import { isTurn, type TranscriptItem } from "./with-notes.ts";

/** Up to this many items are all rendered, so that the browser's search finds them. */
const MAX_WHOLE = 100;
const NEAR_PX = 80;

/** The turns and notes of a conversation. It follows a growing reply only while it is scrolled to the end. */
export function TurnList({ items, context }: { items: readonly TranscriptItem[]; context: TurnContext }) {
  const { scroller, content, isAtEnd, onScroll, toEnd } = useFollowedEnd();
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
          <List items={items} context={context} scroller={scroller} />
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

/** Keeps growing content scrolled to its end, from the time it is there until the user scrolls away. */
function useFollowedEnd() {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(false);
  /** Whether the user may have scrolled since the content was last scrolled to its end. */
  const isByUser = useRef(true);
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

type ListProps = { items: readonly TranscriptItem[]; context: TurnContext; scroller: RefObject<HTMLDivElement | null> };

function WholeItems({ items, context }: ListProps) {
  return (
    <ol>
      {items.map((item, index) => (
        <li key={item.id}>
          <ItemView item={item} isNewDay={isNewDay(items, index)} context={context} />
        </li>
      ))}
    </ol>
  );
}

function VirtualItems({ items, context, scroller }: ListProps) {
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => 72 + Math.ceil((items[at] ? itemText(items[at]).length : 0) / 80) * 20,
    getItemKey: (at) => items[at]?.id ?? at,
    overscan: 8,
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
              <ItemView item={item} isNewDay={isNewDay(items, index)} context={context} />
            </li>
          )
        );
      })}
    </ol>
  );
}

const itemText = (item: TranscriptItem) => (isTurn(item) ? item.content : item.text);
