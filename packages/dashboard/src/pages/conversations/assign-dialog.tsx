import { useState } from "react";
import { Dialog } from "../../components/dialog.tsx";
import { FindList } from "../../components/find-list.tsx";
import { pluralize } from "../../components/plural.ts";
import { type Colleague, filterColleagues } from "./find-colleagues.ts";

/** Further names are found by typing. */
const MAX_SHOWN = 50;

/** Assigns the conversation to a member, who is found by name. */
export function AssignDialog({
  count = 1,
  colleagues,
  onChoose,
  onClose,
}: {
  /** The number of conversations. */
  count?: number;
  colleagues: readonly Colleague[];
  onChoose: (userId: string) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState("");
  const matches = filterColleagues(colleagues, text);
  const more = matches.length - MAX_SHOWN;
  return (
    <Dialog
      title={count === 1 ? "Assign conversation" : `Assign ${pluralize(count, "conversation")}`}
      isOpen
      onClose={onClose}
    >
      <FindList
        label="Find a member"
        listLabel="Members"
        placeholder="Name or email"
        text={text}
        items={matches.slice(0, MAX_SHOWN)}
        status={matches.length === 0 ? "No member matches." : more > 0 && `${more} more. Type a name to find them.`}
        onText={setText}
        onChoose={({ id }) => {
          onClose();
          onChoose(id);
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
