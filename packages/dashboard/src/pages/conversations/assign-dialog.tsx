import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog } from "../../components/dialog.tsx";
import { FindList } from "../../components/find-list.tsx";
import { pluralize } from "../../components/plural.ts";
import { endpointQuery } from "../../data/queries.ts";
import { type Colleague, filterColleagues } from "./find-colleagues.ts";

/** Who gets the conversation. */
export type Assignee = { userId: string } | { teamId: string };

/** Further names are found by typing. */
const MAX_SHOWN = 50;

/** Assigns conversations to a member or a team, found by name. */
export function AssignDialog({
  count = 1,
  colleagues,
  onChoose,
  onClose,
}: {
  /** The number of conversations. */
  count?: number;
  colleagues: readonly Colleague[];
  onChoose: (assignee: Assignee) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState("");
  const teams = useQuery(endpointQuery("listTeams")).data ?? [];
  const teamItems = teams.map(({ id, name }) => ({
    id,
    name,
    email: "Team",
    isHere: false,
    isMe: false,
    isTeam: true,
  }));
  const matches = filterColleagues([...colleagues.map((one) => ({ ...one, isTeam: false })), ...teamItems], text);
  const who = teams.length > 0 ? "member or team" : "member";
  const more = matches.length - MAX_SHOWN;
  return (
    <Dialog
      title={count === 1 ? "Assign conversation" : `Assign ${pluralize(count, "conversation")}`}
      isOpen
      onClose={onClose}
    >
      <FindList
        label={`Find a ${who}`}
        listLabel={teams.length > 0 ? "Members and teams" : "Members"}
        placeholder="Name or email"
        text={text}
        items={matches.slice(0, MAX_SHOWN)}
        status={matches.length === 0 ? `No ${who} matches.` : more > 0 && `${more} more. Type a name to find them.`}
        onText={setText}
        onChoose={({ id, isTeam }) => {
          onClose();
          onChoose(isTeam ? { teamId: id } : { userId: id });
        }}
      >
        {({ name, email, isMe, isHere }) => (
          <>
            <span className="truncate">{isMe ? `${name} (you)` : name}</span>
            <span className="truncate text-sm text-soft">
              {[email !== name && email, isHere && !isMe && "Here now"].filter(Boolean).join(" · ")}
            </span>
          </>
        )}
      </FindList>
    </Dialog>
  );
}
