import type { Document } from "@foyer/contract";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { TrashNote } from "../../components/trash-note.tsx";
import { useEndpointMutation } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";
import { isUnderWay } from "./document-labels.ts";
import { ReturningPages } from "./returning-pages.tsx";

type Action = "trash" | "enable" | "disable" | "retry";

const outcomes: Record<Action, string> = {
  trash: "deleted",
  enable: "enabled",
  disable: "disabled",
  retry: "being processed again",
};

const formatCount = (count: number) => (count === 1 ? "1 document" : `${count} documents`);

/** Bulk actions for the selected documents. */
export function BulkActions({ selected, onClear }: { selected: readonly Document[]; onClear: () => void }) {
  const [isDeleting, setDeleting] = useState(false);
  const call = useEndpointMutation("changeDocuments", {
    changes: ["listDocuments", "getDocument", "getDocumentLimits", "listTrash"],
  });
  const run = async (action: Action) => {
    const ids = selected.filter((document) => action !== "retry" || !isUnderWay(document)).map(({ id }) => id);
    // Awaited, because callbacks would not run after the new list has taken the selected documents off the page.
    const done = await call.mutateAsync({ body: { ids, action } }).catch(() => null);
    if (done === null) return;
    setDeleting(false);
    onClear();
    notify(`${formatCount(done.changed)} ${outcomes[action]}`);
  };
  const isBusy = call.isPending;
  return (
    <section
      aria-label="Selected documents"
      className="sticky top-0 z-10 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-raised px-3 py-2"
    >
      <p role="status" className="me-auto font-medium tabular-nums">
        {selected.length} selected
      </p>
      <Button disabled={isBusy || selected.every(({ isEnabled }) => isEnabled)} onClick={() => void run("enable")}>
        Enable
      </Button>
      <Button disabled={isBusy || selected.every(({ isEnabled }) => !isEnabled)} onClick={() => void run("disable")}>
        Disable
      </Button>
      <Button disabled={isBusy || selected.every(isUnderWay)} onClick={() => void run("retry")}>
        Process again
      </Button>
      <Button variant="danger" disabled={isBusy} onClick={() => setDeleting(true)}>
        Delete
      </Button>
      <Button variant="plain" onClick={onClear}>
        Clear selection
      </Button>
      <ConfirmDialog
        title={`Delete ${formatCount(selected.length)}?`}
        action={`Delete ${formatCount(selected.length)}`}
        isOpen={isDeleting}
        isBusy={isBusy}
        onClose={() => setDeleting(false)}
        onConfirm={() => void run("trash")}
      >
        <p>The agent stops using them immediately. Existing replies that cite them are not changed.</p>
        <TrashNote isPlural={selected.length !== 1} />
        <ReturningPages documents={selected} />
      </ConfirmDialog>
    </section>
  );
}
