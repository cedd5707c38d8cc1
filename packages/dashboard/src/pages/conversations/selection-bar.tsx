import type { BulkActionBody, ConversationSelection } from "@foyer/contract";
import { maxBulkConversations } from "@foyer/contract/rules/limits";
import { CircleCheck, Ellipsis, X } from "lucide-react";
import { type RefObject, useImperativeHandle, useState } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Menu } from "../../components/menu.tsx";
import { pluralize } from "../../components/plural.ts";
import { TrashNote } from "../../components/trash-note.tsx";
import { useTrashDays } from "../../data/trash.ts";
import { AddTagDialog } from "./add-tag-dialog.tsx";
import { AssignDialog, type Assignee } from "./assign-dialog.tsx";
import { runBulkAction } from "./bulk-actions.ts";
import { SnoozeDialog } from "./snooze-dialog.tsx";
import { useColleagues } from "./use-colleagues.ts";
import { useMe } from "./use-me.ts";
import type { Selection } from "./use-selection.ts";

/** The actions that keyboard shortcuts run on the selected conversations. */
export type SelectionHandle = {
  resolve: () => void;
  snooze: () => void;
  assign: () => void;
  addTag: () => void;
  delete: () => void;
};

type DialogName = "snooze" | "assign" | "tag" | "delete";

/** What can be done with the selected conversations. It takes the place of the list's heading. */
export function SelectionBar({
  selection,
  filter,
  total,
  handle,
}: {
  selection: Selection;
  /** What the list finds, or null if a bulk action cannot cover that. */
  filter: ConversationSelection | null;
  /** The number of conversations that the list finds. */
  total: number;
  handle: RefObject<SelectionHandle | null>;
}) {
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const trashDays = useTrashDays();
  const count = selection.isAll ? Math.min(total, maxBulkConversations) : selection.ids.size;
  const run = async (change: Pick<BulkActionBody, "action" | "userId" | "teamId" | "until" | "tag">) => {
    const chosen = selection.isAll && filter ? { filter } : { conversationIds: [...selection.ids] };
    const canUndo = change.action !== "trash" || (trashDays ?? 0) > 0;
    if (await runBulkAction({ ...change, ...chosen }, { canUndo })) selection.clear();
  };
  const open = (name: DialogName) => count > 0 && setDialog(name);
  const resolve = () => void (count > 0 && run({ action: "resolve" }));
  useImperativeHandle(handle, () => ({
    resolve,
    snooze: () => open("snooze"),
    assign: () => open("assign"),
    addTag: () => open("tag"),
    delete: () => open("delete"),
  }));
  const canSelectAll = filter !== null && !selection.isAll && total > count;
  const all = Math.min(total, maxBulkConversations).toLocaleString();
  return (
    <header className="flex min-h-14 items-center gap-1 ps-4 pe-2 xl:ps-8">
      <h1 className="truncate text-lg">{count === 0 ? "Select" : `${count.toLocaleString()} selected`}</h1>
      <p role="status" className="sr-only">
        {pluralize(count, "conversation")} selected
      </p>
      <div className="min-w-0 flex-1">
        {canSelectAll && (
          <Button variant="plain" onClick={selection.selectAll}>
            {total > maxBulkConversations ? `Newest ${all}` : `All ${all}`}
          </Button>
        )}
      </div>
      <IconButton label="Resolve" disabled={count === 0} onClick={resolve}>
        <CircleCheck size={18} aria-hidden />
      </IconButton>
      <Menu
        trigger={
          <IconButton label="Actions for the selection" disabled={count === 0}>
            <Ellipsis size={18} aria-hidden />
          </IconButton>
        }
        items={[
          { label: "Assign…", onSelect: () => open("assign") },
          { label: "Snooze…", onSelect: () => open("snooze") },
          { label: "Add tag…", onSelect: () => open("tag") },
          { label: "Mark as read", onSelect: () => void run({ action: "read" }) },
          { label: "Open again", onSelect: () => void run({ action: "reopen" }) },
          null,
          { label: "Delete…", isDanger: true, onSelect: () => open("delete") },
        ]}
      />
      <IconButton label="Clear the selection" onClick={selection.clear}>
        <X size={18} aria-hidden />
      </IconButton>
      {dialog === "assign" && (
        <BulkAssign
          count={count}
          onChoose={(assignee) => run({ action: "assign", ...assignee })}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === "snooze" && (
        <SnoozeDialog
          count={count}
          onChoose={(until) => void run({ action: "snooze", until: until.toISOString() })}
          onClose={() => setDialog(null)}
        />
      )}
      {dialog === "tag" && (
        <AddTagDialog tags={[]} onAdd={(tag) => void run({ action: "tag", tag })} onClose={() => setDialog(null)} />
      )}
      {dialog === "delete" && (
        <ConfirmDialog
          title={`Delete ${pluralize(count, "conversation")}?`}
          action={`Delete ${pluralize(count, "conversation")}`}
          isOpen
          onClose={() => setDialog(null)}
          onConfirm={() => {
            setDialog(null);
            void run({ action: "trash" });
          }}
        >
          <TrashNote isPlural={count !== 1} />
        </ConfirmDialog>
      )}
    </header>
  );
}

function BulkAssign({
  count,
  onChoose,
  onClose,
}: {
  count: number;
  onChoose: (assignee: Assignee) => Promise<void>;
  onClose: () => void;
}) {
  const colleagues = useColleagues(useMe());
  return (
    <AssignDialog
      count={count}
      colleagues={colleagues}
      onChoose={(assignee) => void onChoose(assignee)}
      onClose={onClose}
    />
  );
}
