import { useInboxLive } from "../../data/inbox-live.ts";
import { type InboxSearch, type InboxView, isTeamView } from "./inbox-search.ts";

/** The views of the inbox: all or the unread conversations of this agent, or those of all agents that people handle. */
export function InboxViews({
  view,
  onChange,
}: {
  view: InboxView | null;
  onChange: (part: { [Name in keyof InboxSearch]?: string | undefined }) => void;
}) {
  const { waiting, mine } = useInboxLive(({ counts }) => counts);
  const views: ReadonlyArray<{ view: InboxView | null; name: string; count?: number }> = [
    { view: null, name: "All" },
    { view: "unread", name: "Unread" },
    { view: "waiting", name: "Waiting", count: waiting },
    { view: "mine", name: "Mine", count: mine },
    { view: "human", name: "Team" },
    { view: "open", name: "Open" },
    { view: "snoozed", name: "Snoozed" },
    { view: "resolved", name: "Resolved" },
  ];
  return (
    <fieldset aria-label="Show" className="flex min-w-0 gap-4 overflow-x-auto border-b border-line px-4 xl:ps-8">
      {views.map(({ view: one, name, count = 0 }) => (
        <button
          key={name}
          type="button"
          aria-pressed={one === view}
          onClick={() =>
            onChange({
              view: one ?? undefined,
              [isTeamView({ view: one ?? "" }) ? "handler" : "scope"]: undefined,
            })
          }
          className="inline-flex h-9 shrink-0 items-center gap-1.5 border-b-2 border-transparent text-soft hover:text-ink aria-pressed:border-ink aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:h-11"
        >
          {name}
          {count > 0 && (
            <span
              className={`rounded-full px-1.5 text-sm ${one === "waiting" ? "bg-lamp text-on-lamp" : "bg-sunken text-ink"}`}
            >
              {count.toLocaleString()}
            </span>
          )}
        </button>
      ))}
    </fieldset>
  );
}
