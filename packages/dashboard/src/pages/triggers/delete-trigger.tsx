import { ConfirmDialog } from "../../components/dialog.tsx";
import { useCall } from "../../data/queries.ts";

/** Asks before a trigger is deleted; `onDeleted` leads away where its page is gone with it. */
export function DeleteTrigger({
  trigger,
  onClose,
  onDeleted,
}: {
  /** null while nothing is to be deleted */
  trigger: { id: string; name: string } | null;
  onClose: () => void;
  onDeleted?: () => unknown;
}) {
  const call = useCall("deleteTrigger", { changes: ["listTriggers", "getTriggerStats"], done: "Trigger deleted" });
  const confirm = async () => {
    if (!trigger) return;
    await call.mutateAsync({ id: trigger.id });
    onClose();
    onDeleted?.();
  };
  return (
    <ConfirmDialog
      title={`Delete ${trigger?.name ?? "the trigger"}?`}
      action="Delete the trigger"
      isOpen={trigger !== null}
      isBusy={call.isPending}
      onClose={onClose}
      onConfirm={() => confirm().catch(() => {})}
    >
      <p>It stops running within seconds, and its figures are gone for good.</p>
    </ConfirmDialog>
  );
}
