import type { VisitorNote } from "@foyer/contract";
import { X } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { TextArea } from "../../components/field.tsx";
import { Time } from "../../components/time.tsx";
import { useEndpointMutation } from "../../data/queries.ts";

/** The team's notes about a visitor, in all of their conversations. */
export function VisitorNotes({ visitorKey, notes }: { visitorKey: string; notes: readonly VisitorNote[] }) {
  const [text, setText] = useState("");
  const create = useEndpointMutation("createVisitorNote", { changes: ["getVisitor"] });
  const remove = useEndpointMutation("deleteVisitorNote", { changes: ["getVisitor"], done: "Note deleted" });
  return (
    <section aria-labelledby="visitor-notes">
      <h2 id="visitor-notes" className="mb-2 text-lg">
        Notes
      </h2>
      <ul className="grid gap-2">
        {notes.map((note) => (
          <li key={note.id} className="rounded-lg border border-dashed border-edge px-3 py-2">
            <p className="whitespace-pre-wrap wrap-anywhere">{note.text}</p>
            <p className="flex items-center gap-2 text-sm text-soft">
              <span className="min-w-0 flex-1 truncate">{note.author.name}</span>
              <Time at={note.createdAt} />
              <IconButton
                label={`Delete the note by ${note.author.name}`}
                onClick={() => remove.mutate({ key: visitorKey, noteId: note.id })}
              >
                <X size={14} aria-hidden />
              </IconButton>
            </p>
          </li>
        ))}
      </ul>
      <form
        className="mt-3 grid justify-items-start gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === "") return;
          create.mutate({ key: visitorKey, body: { text } }, { onSuccess: () => setText("") });
        }}
      >
        <div className="w-full">
          <TextArea
            label="New note"
            help="Only your team sees it."
            rows={2}
            maxLength={4_000}
            value={text}
            onChange={setText}
          />
        </div>
        <Button type="submit" disabled={text.trim() === "" || create.isPending}>
          Add note
        </Button>
      </form>
    </section>
  );
}
