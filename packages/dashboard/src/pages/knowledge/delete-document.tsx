import type { Document } from "@foyer/contract";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { TrashNote } from "../../components/trash-note.tsx";
import { useMoveToTrash } from "../../data/trash.ts";
import { ReturningPages } from "./returning-pages.tsx";

/** Asks before a document is deleted. `onDeleted` leaves the page of the deleted document. */
export function DeleteDocument({
  document,
  onClose,
  onDeleted,
}: {
  /** null while the dialog is closed */
  document: Document | null;
  onClose: () => void;
  onDeleted?: () => unknown;
}) {
  const call = useMoveToTrash("document");
  return (
    <ConfirmDialog
      title={`Delete ${document?.title ?? "document"}?`}
      action="Delete document"
      isOpen={document !== null}
      isBusy={call.isPending}
      onClose={onClose}
      onConfirm={() =>
        document &&
        call.mutate(
          { id: document.id, name: "Document" },
          {
            onSuccess: () => {
              onClose();
              onDeleted?.();
            },
          },
        )
      }
    >
      <p>The agent stops using it immediately. Existing replies that cite it are not changed.</p>
      <TrashNote />
      {document && <ReturningPages documents={[document]} />}
    </ConfirmDialog>
  );
}
