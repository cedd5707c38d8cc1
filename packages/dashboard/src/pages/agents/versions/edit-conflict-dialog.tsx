import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { type EditConflict, useEditConflict } from "../../../data/edit-conflict.ts";
import { ChangeList } from "./change-list.tsx";

/** Asks before a save overwrites what somebody else has saved since the page was loaded. */
export function EditConflictDialog() {
  const conflict = useEditConflict();
  return conflict && <Asked {...conflict} />;
}

function Asked({ agentName, changes, hasForm, answer }: EditConflict) {
  return (
    <Dialog
      title={`${agentName} has changed since you opened this page`}
      description={
        hasForm
          ? "Nothing was saved yet, and what you typed is still here. If you save it, the changes below stay, except in settings that you changed too."
          : "Nothing was changed yet. If you continue, the changes below stay."
      }
      isOpen
      onClose={() => answer("cancel")}
    >
      <ChangeList changes={changes} label="What has changed" />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={() => answer("cancel")}>{hasForm ? "Keep editing" : "Cancel"}</Button>
        {hasForm && (
          <Button variant="danger" onClick={() => answer("reload")}>
            Discard my changes
          </Button>
        )}
        <Button variant="main" onClick={() => answer("overwrite")}>
          {hasForm ? "Save my changes" : "Continue"}
        </Button>
      </div>
    </Dialog>
  );
}
