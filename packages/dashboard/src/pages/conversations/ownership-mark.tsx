import { Avatar } from "../../components/avatar.tsx";
import type { ListedConversation } from "./inbox-search.ts";
import { Waited } from "./waited.tsx";

/** In the list: how long the visitor has been waiting, or who has the conversation. Empty while the agent has it. */
export function OwnershipMark({ row, me }: { row: ListedConversation; me: string | null }) {
  const { handler, handoff, assignee } = row;
  if (handler === "waiting" && handoff) {
    return (
      <span className="inline-flex items-center gap-1.5 font-medium text-ink">
        <span aria-hidden className="glow size-2 rounded-full bg-lamp" />
        <Waited handoff={handoff} isShort />
      </span>
    );
  }
  if (handler !== "human" || !assignee) return null;
  const isMine = assignee.userId === me;
  return <Avatar initials={assignee.initials} label={isMine ? "You have it" : `${assignee.name} has it`} />;
}
