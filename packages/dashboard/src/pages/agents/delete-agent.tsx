import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { queryClient, useCall } from "../../data/queries.ts";

/** The end of an agent and of everything that belongs to it. */
export function DeleteAgent({ agent: { id, name } }: { agent: { id: string; name: string } }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const remove = useCall("deleteAgent", { done: `${name} is deleted` });
  const confirm = async () => {
    await remove.mutateAsync({ id });
    setOpen(false);
    // What is changed on its pages goes with it. The page leaves before its agent does.
    await navigate({ to: "/agents", ignoreBlocker: true });
    queryClient.removeQueries({ queryKey: ["getAgent", { id }] });
    await queryClient.invalidateQueries({ queryKey: ["listAgents"] });
  };
  return (
    <section className="mt-10 flex flex-wrap items-center gap-x-6 gap-y-3 border-t border-line pt-6">
      <div className="min-w-0 flex-1 basis-64">
        <h2 className="text-lg">Delete this agent</h2>
        <p className="mt-1 max-w-[70ch] text-soft">
          Its tools, triggers, conversations and submitted forms go with it, and its chat vanishes from every page.
        </p>
      </div>
      <Button look="danger" onClick={() => setOpen(true)}>
        Delete {name}
      </Button>
      <ConfirmDialog
        title={`Delete ${name}?`}
        action={`Delete ${name}`}
        typed={name}
        isOpen={isOpen}
        isBusy={remove.isPending}
        onClose={() => setOpen(false)}
        onConfirm={() => void confirm().catch(() => {})}
      >
        <p>This cannot be undone. With it go:</p>
        <ul className="list-disc ps-5">
          <li>its tools and triggers</li>
          <li>all of its conversations</li>
          <li>all submitted forms with their files, also those that are still being delivered</li>
          <li>its chat on every page that has its line</li>
        </ul>
      </ConfirmDialog>
    </section>
  );
}
