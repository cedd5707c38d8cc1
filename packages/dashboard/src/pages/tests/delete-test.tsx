import { ConfirmDialog } from "../../components/dialog.tsx";
import { useEndpointMutation } from "../../data/queries.ts";

/** Asks before a test is deleted. `onDeleted` leaves the page of the deleted test. */
export function DeleteTest({
  agentId,
  test,
  onClose,
  onDeleted,
}: {
  agentId: string;
  /** null while the dialog is closed */
  test: { id: string; name: string } | null;
  onClose: () => void;
  onDeleted?: () => unknown;
}) {
  const call = useEndpointMutation("deleteAgentTest", { changes: ["listAgentTests"], done: "Test deleted" });
  const confirm = async () => {
    if (!test) return;
    await call.mutateAsync({ id: agentId, testId: test.id });
    onClose();
    onDeleted?.();
  };
  return (
    <ConfirmDialog
      title={`Delete ${test?.name ?? "test"}?`}
      action="Delete test"
      isOpen={test !== null}
      isBusy={call.isPending}
      onClose={onClose}
      onConfirm={() => confirm().catch(() => {})}
    >
      <p>This cannot be undone.</p>
    </ConfirmDialog>
  );
}
