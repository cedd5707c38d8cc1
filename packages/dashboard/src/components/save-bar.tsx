import { useBlocker } from "@tanstack/react-router";
import { useEffect } from "react";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./dialog.tsx";

/** Appears with the first change, stays in sight, and keeps the viewer from leaving without having decided. */
export function SaveBar({
  isDirty,
  isBusy,
  onDiscard,
  label = "Save",
  isNew = false,
}: {
  isDirty: boolean;
  isBusy: boolean;
  onDiscard: () => void;
  label?: string;
  /** For what does not exist yet: the bar is there from the start. */
  isNew?: boolean;
}) {
  const blocker = useBlocker({
    // Parts of one page have addresses too; going from one to the other loses nothing.
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  // Who leaves while it is being saved is asked only if that failed.
  useEffect(() => {
    if (blocker.status === "blocked" && !isDirty && !isBusy) blocker.proceed();
  }, [blocker, isDirty, isBusy]);
  return (
    <>
      {(isDirty || isNew) && (
        <div className="appear sticky bottom-4 z-20 flex flex-wrap items-center gap-2 rounded-lg border border-ink bg-raised px-4 py-2">
          <p className="flex-1">{isNew ? "Not made yet" : "Not saved yet"}</p>
          {isDirty && (
            <Button look="plain" onClick={onDiscard} disabled={isBusy}>
              Discard
            </Button>
          )}
          <Button type="submit" look="main" isBusy={isBusy}>
            {label}
          </Button>
        </div>
      )}
      <ConfirmDialog
        title="Leave without saving?"
        action="Discard the changes"
        isOpen={blocker.status === "blocked" && isDirty && !isBusy}
        onClose={() => blocker.reset?.()}
        onConfirm={() => blocker.proceed?.()}
      >
        <p>What you changed on this page is not saved yet.</p>
      </ConfirmDialog>
    </>
  );
}
