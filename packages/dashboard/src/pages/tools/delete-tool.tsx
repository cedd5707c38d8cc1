import type { Tool } from "@foyer/contract";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Section } from "../../components/page.tsx";
import { useCall } from "../../data/queries.ts";

export function DeleteTool({ tool, agentId }: { tool: Tool; agentId: string }) {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const remove = useCall("deleteTool", { changes: ["listTools", "getToolLimits"], done: `${tool.name} is deleted` });
  const isForm = tool.executionType === "form";
  return (
    <Section
      title="Delete the tool"
      description={
        isForm
          ? "Visitors no longer get the form. What they have submitted stays."
          : "The agent can no longer use it. Conversations in which it was used stay as they are."
      }
      actions={
        <Button look="danger" onClick={() => setOpen(true)}>
          Delete {tool.name}
        </Button>
      }
    >
      <ConfirmDialog
        title={`Delete ${tool.name}?`}
        action={`Delete ${tool.name}`}
        isOpen={isOpen}
        isBusy={remove.isPending}
        onClose={() => setOpen(false)}
        onConfirm={() =>
          remove.mutate(
            { id: tool.id },
            {
              onSuccess: () =>
                navigate({ to: "/agents/$agentId/tools", params: { agentId }, ignoreBlocker: true, replace: true }),
              onError: () => setOpen(false),
            },
          )
        }
      >
        <p>
          {isForm
            ? "Forms that are open in a chat right now can no longer be submitted. Triggers that show this form show nothing."
            : "This cannot be undone."}
        </p>
      </ConfirmDialog>
    </Section>
  );
}
