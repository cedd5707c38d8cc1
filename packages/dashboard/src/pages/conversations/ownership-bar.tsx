import type { Person } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { Avatar } from "../../components/avatar.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { Menu, type MenuItem } from "../../components/menu.tsx";
import { endpointQuery } from "../../data/queries.ts";
import type { Colleague } from "./find-colleagues.ts";
import { ReplyClock } from "./reply-clock.tsx";
import type { ConversationDetail } from "./split-reply.ts";
import { Waited } from "./waited.tsx";

const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

type Acts = {
  isBusy: boolean;
  /** The members to whom the conversation can be assigned. */
  colleagues: readonly Colleague[];
  assign: (userId: string) => Promise<boolean>;
  assignTeam: (teamId: string) => Promise<boolean>;
  close: () => Promise<boolean>;
};

/** Shows who handles the conversation, and the actions that the member can take. */
export function OwnershipBar({
  conversation,
  agentName,
  me,
  acts,
  onTakeOver,
  onReturn,
  onAssign,
  onAddTag,
  onResolve,
  onSnooze,
}: {
  conversation: ConversationDetail;
  agentName: string;
  me: string | null;
  acts: Acts;
  onTakeOver: () => void;
  /** Opens the dialog that returns the conversation with a note for the agent. */
  onReturn: () => void;
  /** Opens the dialog that assigns the conversation to any member. */
  onAssign: () => void;
  /** Opens the dialog that adds a tag. */
  onAddTag: () => void;
  /** Resolves the conversation, or opens a resolved or snoozed one again. */
  onResolve: () => void;
  /** Opens the dialog that snoozes the conversation. */
  onSnooze: () => void;
}) {
  const { handler, assignee, handoff, team } = conversation;
  const isMine = handler === "human" && assignee?.userId === me;
  const takeOver = (
    <Button variant={handler === "waiting" ? "main" : "quiet"} isBusy={acts.isBusy} onClick={onTakeOver}>
      Take over
    </Button>
  );
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-2">
      <p role="status" className="flex min-w-0 flex-1 basis-48 flex-wrap items-center gap-x-2">
        {handler === "agent" && <span className="text-soft">{agentName} answers this conversation.</span>}
        {handler === "waiting" && handoff && <WaitingText handoff={handoff} />}
        {handler !== "agent" && team && <span className="truncate text-soft">{team.name}</span>}
        {handler !== "agent" && <ReplyClock clock={conversation.clock} />}
        {handler === "human" && assignee && <AssigneeText assignee={assignee} isMine={isMine} />}
        <StatusText conversation={conversation} />
      </p>
      {handler !== "human" && takeOver}
      {isMine && (
        <Button isBusy={acts.isBusy} onClick={onReturn}>
          Return to agent
        </Button>
      )}
      {handler === "human" && !isMine && me !== null && (
        <Button isBusy={acts.isBusy} onClick={() => void acts.assign(me)}>
          Assign to me
        </Button>
      )}
      <Button isBusy={acts.isBusy} onClick={onResolve}>
        {conversation.status === "open" ? "Resolve" : "Open again"}
      </Button>
      <AssignMenu
        conversation={conversation}
        me={me}
        acts={acts}
        onAssign={onAssign}
        onAddTag={onAddTag}
        onSnooze={onSnooze}
      />
    </div>
  );
}

/** Nothing for an open conversation. */
function StatusText({ conversation: { status, snoozedUntil } }: { conversation: ConversationDetail }) {
  if (status === "resolved") return <span className="shrink-0 text-soft">Resolved</span>;
  if (status !== "snoozed" || !snoozedUntil) return null;
  return <span className="shrink-0 text-soft">Snoozed until {dayAndTime.format(new Date(snoozedUntil))}</span>;
}

function WaitingText({ handoff }: { handoff: NonNullable<ConversationDetail["handoff"]> }) {
  return (
    <>
      <span aria-hidden className="glow size-2 shrink-0 rounded-full bg-lamp" />
      <span>
        {/* Without the role, screen readers would announce the status again whenever the elapsed time changes. */}
        <span role="timer" className="font-medium">
          <Waited handoff={handoff} />
        </span>
        {handoff.promisedAt && (
          <span className="text-soft"> · answer promised by {clock.format(new Date(handoff.promisedAt))}</span>
        )}
      </span>
    </>
  );
}

function AssigneeText({ assignee, isMine }: { assignee: Person; isMine: boolean }) {
  return (
    <>
      <Avatar initials={assignee.initials} />
      {isMine ? (
        "You have this conversation."
      ) : (
        <span className="min-w-0">
          <span className="inline-block max-w-full truncate align-bottom">{assignee.name}</span> has this conversation.
        </span>
      )}
    </>
  );
}

/** The maximum number of colleagues, and of teams, in the menu. The dialog lists all of them and has a search field. */
const MAX_LISTED = 5;

/** The menu that assigns the conversation to a colleague, tags or snoozes it, or ends the handoff. */
function AssignMenu({
  conversation: { handler, team: current },
  me,
  acts,
  onAssign,
  onAddTag,
  onSnooze,
}: {
  conversation: ConversationDetail;
  me: string | null;
  acts: Acts;
  onAssign: () => void;
  onAddTag: () => void;
  onSnooze: () => void;
}) {
  // While no person has the conversation, leave out the current member, because the `Take over` button does the same.
  const others = acts.colleagues.filter(({ id }) => !(id === me && handler !== "human"));
  const items: Array<MenuItem | null> = others.slice(0, MAX_LISTED).map(({ id, name, isHere, isMe }) => ({
    label: `Assign to ${isMe ? "me" : name}`,
    ...(isHere && !isMe ? { hint: "Here now" } : {}),
    onSelect: () => void acts.assign(id),
  }));
  const allTeams = useQuery(endpointQuery("listTeams")).data ?? [];
  const teams = allTeams.filter((team) => team.id !== current?.id || handler === "human");
  for (const { id, name } of teams.slice(0, MAX_LISTED)) {
    items.push({ label: `Assign to team ${name}`, onSelect: () => void acts.assignTeam(id) });
  }
  if (others.length > MAX_LISTED || teams.length > MAX_LISTED) {
    const who = teams.length > MAX_LISTED ? "someone else or another team" : "someone else";
    items.push({ label: `Assign to ${who}…`, onSelect: onAssign });
  }
  const ending: Array<MenuItem | null> = [
    null,
    // The button in the header is out of reach of a thumb.
    { label: "Add tag…", onSelect: onAddTag },
    // A visitor who waits must not be put off.
    { label: "Snooze…", disabled: handler === "waiting", onSelect: onSnooze },
    ...(handler === "agent" ? [] : [{ label: "Close", onSelect: () => void acts.close() }]),
  ];
  return (
    <Menu
      trigger={
        <IconButton label="Assign, tag, snooze or close" disabled={acts.isBusy}>
          <Ellipsis size={18} aria-hidden />
        </IconButton>
      }
      items={items.length === 0 ? ending.slice(1) : [...items, ...ending]}
    />
  );
}
