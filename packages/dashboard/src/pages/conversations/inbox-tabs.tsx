import { maxInboxTotal } from "@foyer/contract/rules/limits";
import { type KeyboardEvent, useRef } from "react";
import { useInboxLive } from "../../data/inbox-live.ts";
import { type InboxView, inboxTabs, viewNames } from "./inbox-search.ts";

const steps: Record<string, (at: number) => number> = {
  ArrowRight: (at) => (at + 1) % inboxTabs.length,
  ArrowLeft: (at) => (at + inboxTabs.length - 1) % inboxTabs.length,
  Home: () => 0,
  End: () => inboxTabs.length - 1,
};

/**
 * The tabs of the inbox with their live counts, which cover all agents. None is selected while the list shows something
 * else, such as all conversations of an agent. The count is below the name, so that all tabs fit on a narrow phone.
 */
export function InboxTabs({
  view,
  panelId,
  onOpen,
}: {
  view: InboxView | null;
  panelId: string;
  onOpen: (view: InboxView) => void;
}) {
  const counts = useInboxLive((live) => live.counts);
  const list = useRef<HTMLDivElement>(null);
  const hasSelected = inboxTabs.some((tab) => tab === view);
  const onKeyDown = (event: KeyboardEvent, at: number) => {
    const next = steps[event.key]?.(at);
    const tab = next === undefined ? undefined : inboxTabs[next];
    if (next === undefined || !tab) return;
    event.preventDefault();
    onOpen(tab);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      aria-label="Inbox"
      className="flex justify-between border-b border-line px-4 text-sm md:max-lg:px-1.5 xl:ps-8"
    >
      {inboxTabs.map((tab, at) => (
        <button
          key={tab}
          type="button"
          role="tab"
          aria-selected={tab === view}
          aria-controls={panelId}
          tabIndex={(hasSelected ? tab === view : at === 0) ? 0 : -1}
          onClick={() => onOpen(tab)}
          onKeyDown={(event) => onKeyDown(event, at)}
          className="grid min-h-12 content-center justify-items-center border-b-2 border-transparent text-soft -outline-offset-2 hover:text-ink aria-selected:border-ink aria-selected:text-ink"
        >
          {viewNames[tab]}{" "}
          <span
            className={`inline-grid h-5 min-w-5 place-items-center rounded-full px-1.5 ${tab === "waiting" && counts?.waiting ? "bg-lamp text-on-lamp" : ""}`}
          >
            {counts && formatCount(counts[tab])}
          </span>
        </button>
      ))}
    </div>
  );
}

/** The server counts no further than the maximum, and the tabs have no room for more. */
function formatCount(count: number) {
  return count < maxInboxTotal ? String(count) : `${maxInboxTotal - 1}+`;
}
