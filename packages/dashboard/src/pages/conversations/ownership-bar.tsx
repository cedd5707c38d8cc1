import type { Person } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { Ellipsis } from "lucide-react";
import { Avatar } from "../../components/avatar.tsx";
import { Button, IconButton } from "../../components/button.tsx";
import { Menu } from "../../components/menu.tsx";
import { useInboxLive } from "../../data/inbox-live.ts";
import { endpointQuery } from "../../data/queries.ts";
import type { ConversationDetail } from "./split-reply.ts";
import { Waited } from "./waited.tsx";

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

type Acts = {
  isBusy: boolean;
  assign: (userId: string) => Promise<boolean>;
  close: () => Promise<boolean>;
};

/** Shows who handles the conversation, and the actions that the member can take. */
export function OwnershipBar({
  conversation,
  agentName,
  me,
  acts,
  onTakeOver,
  onGiveBack,
}: {
  conversation: ConversationDetail;
  agentName: string;
  me: string | null;
  acts: Acts;
  onTakeOver: () => void;
  /** Called to ask for the note to the agent. */
  onGiveBack: () => void;
}) {
  const { handler, assignee, handoff } = conversation;
  const isMine = handler === "human" && assignee?.userId === me;
  const takeOver = (
    <Button look={handler === "waiting" ? "main" : "quiet"} isBusy={acts.isBusy} onClick={onTakeOver}>
      Take over
    </Button>
  );
  return (
    <div className="flex min-h-11 flex-wrap items-center gap-2">
      <p role="status" className="flex min-w-0 flex-1 items-center gap-2">
        {handler === "agent" && <span className="text-soft">{agentName} answers this conversation.</span>}
        {handler === "waiting" && handoff && <WaitingText handoff={handoff} />}
        {handler === "human" && assignee && <AssigneeText assignee={assignee} isMine={isMine} />}
      </p>
      {handler !== "human" && takeOver}
      {isMine && (
        <Button isBusy={acts.isBusy} onClick={onGiveBack}>
          Return to agent
        </Button>
      )}
      {handler === "human" && !isMine && me !== null && (
        <Button isBusy={acts.isBusy} onClick={() => void acts.assign(me)}>
          Assign to me
        </Button>
      )}
      <AssignMenu conversation={conversation} me={me} acts={acts} />
    </div>
  );
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
      <span className="min-w-0">
        {isMine ? "You have this conversation." : `${assignee.name} has this conversation.`}
      </span>
    </>
  );
}

/** The menu that assigns the conversation to a colleague or ends the handoff. */
function AssignMenu({ conversation, me, acts }: { conversation: ConversationDetail; me: string | null; acts: Acts }) {
  const members = useQuery(endpointQuery("listMembers")).data ?? [];
  const present = useInboxLive((live) => live.members);
  const { handler, assignee } = conversation;
  const others = members.filter(({ id }) => id !== assignee?.userId && !(id === me && handler !== "human"));
  const items = others.slice(0, 20).map(({ id, name, email }) => {
    const isHere = present.some((member) => member.userId === id && member.isPresent);
    return {
      label: `Assign to ${id === me ? "me" : name || email}`,
      ...(isHere && id !== me ? { hint: "Here now" } : {}),
      onSelect: () => void acts.assign(id),
    };
  });
  const ending = handler === "agent" ? [] : [null, { label: "Close", onSelect: () => void acts.close() }];
  if (items.length === 0 && ending.length === 0) return null;
  return (
    <Menu
      trigger={
        <IconButton label="Assign or close" disabled={acts.isBusy}>
          <Ellipsis size={18} aria-hidden />
        </IconButton>
      }
      items={items.length === 0 ? ending.slice(1) : [...items, ...ending]}
    />
  );
}
