import { StickyNote, X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../components/button.tsx";
import { Time } from "../../components/time.tsx";
import type { ConversationNote } from "./with-notes.ts";

/** An internal note, marked so that it is not mistaken for a message. */
export function NoteView({
  note,
  onDelete,
  children,
}: {
  note: ConversationNote;
  onDelete: (note: ConversationNote) => void;
  /** The text of the note. */
  children: ReactNode;
}) {
  return (
    <article className="my-3 rounded-lg border border-dashed border-edge px-4 py-2">
      <header className="flex items-center gap-2 text-sm">
        <StickyNote size={14} aria-hidden className="shrink-0 text-soft" />
        <h3 className="min-w-0 flex-1 font-medium">
          {note.author.name} <span className="font-normal text-soft">· Internal note, visible to your team only</span>
        </h3>
        <span className="text-soft">
          <Time at={note.createdAt} />
        </span>
        <IconButton label={`Delete the note by ${note.author.name}`} onClick={() => onDelete(note)}>
          <X size={14} aria-hidden />
        </IconButton>
      </header>
      {children}
    </article>
  );
}
