import type { ConversationTag } from "@foyer/contract";
import { plainLine } from "@foyer/widget/plain-line";
import { useQuery } from "@tanstack/react-query";
import { AlarmClock, Check, CircleAlert, FileText, MessageSquare, Star, ThumbsDown, ThumbsUp } from "lucide-react";
import { type MouseEvent, memo, type ReactNode } from "react";
import { VisitorAvatar } from "../../components/avatar.tsx";
import { formatCost } from "../../components/cost-text.ts";
import { ratingText } from "../../components/rating-text.ts";
import { Skeleton } from "../../components/states.tsx";
import { Time } from "../../components/time.tsx";
import { endpointQuery, queryClient } from "../../data/queries.ts";
import { useCurrency } from "../../data/use-currency.ts";
import { Highlighted } from "./highlighted.tsx";
import { knownName, type ListedConversation, visitorName } from "./inbox-search.ts";
import { OwnershipMark } from "./ownership-mark.tsx";
import { ReplyClock } from "./reply-clock.tsx";
import type { SavedView } from "./saved-view-text.ts";

/** Height in pixels. All rows have the same height, so nothing moves when rows load. */
export const ROW_HEIGHT = 64;

/** The number of messages from which a row shows it. Most conversations are short, and their figures would be noise. */
const MANY_MESSAGES = 10;

const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Selects a conversation, or all since the last one, or removes it from the selection. */
type Toggle = (id: string, isRange?: boolean) => void;

/** A conversation in the list. Tab reaches one row, and the arrow keys move between rows. `query` is highlighted. */
export const ConversationRow = memo(function ConversationRow({
  row,
  href,
  query,
  columns,
  isOpen,
  isReachable,
  isSelecting,
  isSelected,
  onToggle,
  onOpen,
  onFocus,
}: {
  row: ListedConversation;
  /** What an open saved view shows in each row. */
  columns?: SavedView["columns"] | undefined;
  href: string;
  query: string;
  isOpen: boolean;
  isReachable: boolean;
  /** Whether the checkbox is shown without a pointer over the row. */
  isSelecting: boolean;
  isSelected: boolean;
  onToggle: Toggle;
  onOpen: (row: ListedConversation) => void;
  onFocus: (id: string) => void;
}) {
  const me = useQuery(endpointQuery("getSession")).data?.user.id ?? null;
  const messages = row.messageCount === 1 ? "message" : "messages";
  const open = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    onOpen(row);
  };
  return (
    <div className="group relative h-full">
      <a
        href={href}
        data-conversation={row.id}
        data-selected={isSelected || undefined}
        aria-current={isOpen ? "page" : undefined}
        tabIndex={isReachable ? 0 : -1}
        // Starts loading on pointer down, before the click is complete.
        onPointerDown={() => queryClient.prefetchQuery(endpointQuery("getConversation", { id: row.id }))}
        onClick={open}
        onFocus={() => onFocus(row.id)}
        className="@container relative grid h-full grid-cols-[24px_minmax(0,1fr)] items-center gap-2.5 border-b border-line ps-6 pe-4 -outline-offset-2 hover:bg-hover aria-[current]:bg-selected aria-[current]:shadow-[inset_2px_0_var(--ink)] data-selected:bg-selected"
      >
        {row.isUnread && (
          <span title="Unread" data-fill className="absolute start-2.5 size-1.5 rounded-full bg-ink">
            <span className="sr-only">Unread:</span>
          </span>
        )}
        <span className={isSelecting ? "invisible" : "pointer-fine:group-hover:invisible"}>
          <VisitorAvatar name={knownName(row)} />
        </span>
        <span className="grid grid-cols-[minmax(0,1fr)] gap-0.5">
          <span className="flex items-baseline gap-3">
            <span
              className={`min-w-0 flex-1 truncate ${row.isUnread ? "font-semibold" : ""} ${row.status === "open" ? "" : "text-soft"}`}
            >
              <Highlighted text={row.title} query={query} />
            </span>
            <span className="inline-flex shrink-0 items-center gap-2 self-center text-sm text-soft">
              <StatusMark row={row} />
              <OwnershipMark row={row} me={me} />
              {row.handler !== "waiting" && <Time at={row.updatedAt} />}
            </span>
          </span>
          <span className="flex items-center gap-2 text-sm text-soft">
            <span className="max-w-2/5 truncate text-ink">{visitorName(row)}</span>
            <span className="min-w-0 flex-1 truncate" dir="auto">
              <Highlighted text={row.match ?? createPreview(row)} query={query} />
            </span>
            {row.handler === "waiting" && (row.handoff?.escalatedTo ?? 0) > 0 && (
              <span className="text-wrong">Escalated</span>
            )}
            <ReplyClock clock={row.clock} />
            <Marks row={row} />
            {/* A search result needs this space for the excerpt with the match. */}
            {!row.match && (!columns || columns.includes("tags")) && <TagChips tags={row.tags} />}
            {columns && <ViewColumns row={row} columns={columns} />}
            <span
              title={`${row.messageCount} ${messages}`}
              className={row.messageCount < MANY_MESSAGES ? "sr-only" : "inline-flex shrink-0 items-center gap-1"}
            >
              <MessageSquare size={14} aria-hidden />
              {row.messageCount} <span className="sr-only">{messages}</span>
            </span>
          </span>
        </span>
      </a>
      <SelectBox
        row={row}
        isReachable={isReachable}
        isSelecting={isSelecting}
        isSelected={isSelected}
        onToggle={onToggle}
      />
    </div>
  );
});

/**
 * The checkbox of a row, in the place of the avatar. It is a sibling of the link, because a link must not contain
 * controls.
 */
function SelectBox({
  row,
  isReachable,
  isSelecting,
  isSelected,
  onToggle,
}: {
  row: ListedConversation;
  isReachable: boolean;
  isSelecting: boolean;
  isSelected: boolean;
  onToggle: Toggle;
}) {
  return (
    <label
      className={`absolute inset-y-0 start-4 grid w-10 place-items-center pointer-coarse:w-11 ${isSelecting ? "" : "pointer-coarse:pointer-events-none"}`}
    >
      <input
        type="checkbox"
        aria-label={`Select ${row.title}`}
        tabIndex={isSelecting && isReachable ? 0 : -1}
        checked={isSelected}
        onChange={(event) => onToggle(row.id, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
        className={`size-4 accent-ink ${isSelecting ? "" : "opacity-0 focus-visible:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-0!"}`}
      />
    </label>
  );
}

/** The newest message. Visitors write plain text, and everybody else Markdown. */
function createPreview({ lastMessage }: ListedConversation): string {
  if (!lastMessage) return "";
  return lastMessage.role === "user" ? lastMessage.text : plainLine(lastMessage.text);
}

/** Tells resolved and snoozed conversations from open ones. */
function StatusMark({ row: { status, snoozedUntil } }: { row: ListedConversation }) {
  if (status === "resolved") return <Mark label="resolved" icon={<Check size={14} aria-hidden />} />;
  if (status !== "snoozed" || !snoozedUntil) return null;
  const label = `snoozed until ${dayAndTime.format(new Date(snoozedUntil))}`;
  return <Mark label={label} icon={<AlarmClock size={14} aria-hidden />} />;
}

function Marks({ row }: { row: ListedConversation }) {
  return (
    <>
      {row.isTest && <span className="shrink-0 rounded-md border border-line px-1.5">Test chat</span>}
      {row.hasFailedReply && (
        <Mark label="a reply failed" icon={<CircleAlert size={14} aria-hidden className="text-wrong" />} />
      )}
      {row.hasForm && <Mark label="form submitted" icon={<FileText size={14} aria-hidden />} />}
      {row.feedback === "up" && <Mark label="rated good" icon={<ThumbsUp size={14} aria-hidden />} />}
      {row.feedback === "down" && (
        <Mark label="rated bad" icon={<ThumbsDown size={14} aria-hidden className="text-wrong" />} />
      )}
      {row.rating && <Mark label={ratingText(row.rating.score)} icon={<Score score={row.rating.score} />} />}
    </>
  );
}

/** The columns of a saved view that other lists do not have. */
function ViewColumns({ row, columns }: { row: ListedConversation; columns: SavedView["columns"] }) {
  const hasAgent = columns.includes("agent");
  const { data: agents } = useQuery({ ...endpointQuery("listAgents"), enabled: hasAgent });
  const currency = useCurrency();
  const texts = [
    hasAgent && agents?.find(({ id }) => id === row.agentId)?.name,
    columns.includes("assignee") && row.assignee?.name,
    columns.includes("cost") && currency && row.cost !== undefined && formatCost(row.cost, currency),
  ].filter(Boolean);
  if (texts.length === 0) return null;
  return <span className="max-w-1/2 shrink-0 truncate">{texts.join(" · ")}</span>;
}

const MAX_CHIPS = 3;

/** The first tags of a conversation, and how many more it has. Screen readers read all of them. */
function TagChips({ tags }: { tags: readonly ConversationTag[] }) {
  if (tags.length === 0) return null;
  const names = tags.map(({ name }) => name).join(", ");
  return (
    <span title={names} className="flex shrink-0 items-center gap-1">
      <span className="sr-only">Tags: {names},</span>
      {tags.slice(0, MAX_CHIPS).map(({ id, name }) => (
        <span key={id} aria-hidden className="max-w-[18cqi] truncate rounded-md border border-line px-1.5">
          {name}
        </span>
      ))}
      {tags.length > MAX_CHIPS && <span aria-hidden>+{tags.length - MAX_CHIPS}</span>}
    </span>
  );
}

/** The visitor's rating of the whole conversation. */
function Score({ score }: { score: number }) {
  return (
    <span aria-hidden className="inline-flex shrink-0 items-center gap-1">
      <Star size={14} className={score <= 2 ? "text-wrong" : ""} />
      {score}
    </span>
  );
}

function Mark({ label, icon }: { label: string; icon: ReactNode }) {
  return (
    <span title={`${label.charAt(0).toUpperCase()}${label.slice(1)}`}>
      {icon}
      <span className="sr-only">{label},</span>
    </span>
  );
}

/** The placeholder of a conversation that is loading. */
export function SkeletonRow() {
  return (
    <div className="grid h-full grid-cols-[24px_minmax(0,1fr)] items-center gap-2.5 border-b border-line ps-6 pe-4">
      <Skeleton className="size-6" />
      <div className="grid gap-2">
        <Skeleton className="h-4 w-3/5" />
        <Skeleton className="h-3 w-2/5" />
      </div>
    </div>
  );
}
