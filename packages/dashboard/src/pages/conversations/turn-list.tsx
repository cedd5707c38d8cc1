import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { type RefObject, useEffect, useRef, useState } from "react";
import { IconButton } from "../../components/button.tsx";
import type { Turn } from "./split-reply.ts";
import { isNewDay, type TurnContext, TurnView } from "./turn-view.tsx";

/** Up to this many turns are all rendered, so that the browser's search finds them. */
const MAX_WHOLE = 100;
const NEAR_PX = 80;

/** The turns of a conversation. It follows a growing reply only while it is scrolled to the end. */
export function TurnList({ turns, context }: { turns: readonly Turn[]; context: TurnContext }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const follows = useRef(false);
  const toEnd = () => {
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: more turns, or more of the last one
  useEffect(() => {
    if (follows.current) toEnd();
  }, [turns]);
  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    follows.current = isNear;
    setAtEnd(isNear);
  };
  useEffect(onScroll, []);
  const List = turns.length > MAX_WHOLE ? VirtualTurns : WholeTurns;
  return (
    <div className="relative min-h-0 flex-1">
      <section
        ref={scroller}
        onScroll={onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        tabIndex={0}
        aria-label="Messages"
        className="h-full overflow-y-auto px-4 pb-6 -outline-offset-2 sm:px-6"
      >
        <div className="mx-auto max-w-3xl">
          <List turns={turns} context={context} scroller={scroller} />
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

type ListProps = { turns: readonly Turn[]; context: TurnContext; scroller: RefObject<HTMLDivElement | null> };

function WholeTurns({ turns, context }: ListProps) {
  return (
    <ol>
      {turns.map((turn, index) => (
        <li key={turn.id}>
          <TurnView turn={turn} isNewDay={isNewDay(turns, index)} context={context} />
        </li>
      ))}
    </ol>
  );
}

function VirtualTurns({ turns, context, scroller }: ListProps) {
  const virtual = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => 72 + Math.ceil((turns[at]?.content.length ?? 0) / 80) * 20,
    getItemKey: (at) => turns[at]?.id ?? at,
    overscan: 8,
  });
  return (
    <ol className="relative" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const turn = turns[index];
        return (
          turn && (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-setsize={turns.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <TurnView turn={turn} isNewDay={isNewDay(turns, index)} context={context} />
            </li>
          )
        );
      })}
    </ol>
  );
}
