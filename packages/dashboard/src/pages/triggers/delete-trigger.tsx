import { ConfirmDialog } from "../../components/dialog.tsx";
import { TrashNote } from "../../components/trash-note.tsx";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { useMoveToTrash } from "../../data/trash.ts";

/** Asks before a trigger is deleted. `onDeleted` leaves the page of the deleted trigger. */
export function DeleteTrigger({
  agentId,
  trigger,
  onClose,
  onDeleted,
}: {
  agentId: string;
  /** null while the dialog is closed */
  trigger: { id: string; name: string } | null;
  onClose: () => void;
  onDeleted?: () => unknown;
}) {
  const call = useMoveToTrash("trigger", useAgentEdits(agentId));
  const confirm = async () => {
    if (!trigger) return;
    await call.mutateAsync({ id: trigger.id, name: "Trigger" });
    onClose();
    onDeleted?.();
  };
  return (
    <ConfirmDialog
      title={`Delete ${trigger?.name ?? "trigger"}?`}
      action="Delete trigger"
      isOpen={trigger !== null}
      isBusy={call.isPending}
      onClose={onClose}
      onConfirm={() => confirm().catch(() => {})}
    >
      <p>The trigger stops running within seconds.</p>
      <TrashNote />
    </ConfirmDialog>
  );
}
