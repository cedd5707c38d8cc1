import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { DeleteSection } from "../../components/delete-section.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { TrashNote } from "../../components/trash-note.tsx";
import { queryClient } from "../../data/queries.ts";
import { useMoveToTrash } from "../../data/trash.ts";

/** Deletes an agent with everything that belongs to it. */
export function DeleteAgent({ agent: { id, name } }: { agent: { id: string; name: string } }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const remove = useMoveToTrash("agent");
  const confirm = async () => {
    await remove.mutateAsync({ id, name });
    setOpen(false);
    // Unsaved changes are discarded deliberately. Leave the page before its agent is removed from the cache.
    await navigate({ to: "/agents", ignoreBlocker: true });
    queryClient.removeQueries({ queryKey: ["getAgent", { id }] });
    await queryClient.invalidateQueries({ queryKey: ["listAgents"] });
  };
  return (
    <>
      <DeleteSection
        title="Delete this agent"
        description="This also deletes its knowledge, tools, triggers, conversations and form submissions. The chat disappears from every page where it is embedded."
        action={`Delete ${name}`}
        onDelete={() => setOpen(true)}
      />
      <ConfirmDialog
        title={`Delete ${name}?`}
        action={`Delete ${name}`}
        typed={name}
        isOpen={isOpen}
        isBusy={remove.isPending}
        onClose={() => setOpen(false)}
        onConfirm={() => void confirm().catch(() => {})}
      >
        <TrashNote />
        <p>It also deletes:</p>
        <ul className="list-disc ps-5">
          <li>its documents and sites</li>
          <li>its tools and triggers</li>
          <li>all of its conversations</li>
          <li>all form submissions and their files, including those still being delivered</li>
          <li>the chat on every page where it is embedded</li>
        </ul>
      </ConfirmDialog>
    </>
  );
}
