import type { Tool } from "@foyer/contract";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { DeleteSection } from "../../components/delete-section.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import { TrashNote } from "../../components/trash-note.tsx";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { useMoveToTrash } from "../../data/trash.ts";

export function DeleteTool({ tool, agentId }: { tool: Tool; agentId: string }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const title = toolTitle(tool.name);
  const remove = useMoveToTrash("tool", useAgentEdits(agentId));
  const isForm = tool.executionType === "form";
  return (
    <>
      <DeleteSection
        title="Delete tool"
        description={
          isForm
            ? "Visitors no longer see the form. Its submissions are kept."
            : "The agent can no longer use it. Conversations that used it are kept."
        }
        action={`Delete ${title}`}
        onDelete={() => setOpen(true)}
      />
      <ConfirmDialog
        title={`Delete ${title}?`}
        action={`Delete ${title}`}
        isOpen={isOpen}
        isBusy={remove.isPending}
        onClose={() => setOpen(false)}
        onConfirm={() =>
          remove.mutate(
            { id: tool.id, name: title },
            {
              onSuccess: () =>
                navigate({ to: "/agents/$agentId/tools", params: { agentId }, ignoreBlocker: true, replace: true }),
              onError: () => setOpen(false),
            },
          )
        }
      >
        {isForm && (
          <p>Forms that are open in a chat can no longer be submitted. Triggers that show this form show nothing.</p>
        )}
        <TrashNote />
      </ConfirmDialog>
    </>
  );
}
