import { useBlocker } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

/** The bar of a form with unsaved changes. It stays in view, and leaving the page asks what to do with the changes. */
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
  /** For a form that creates something: the bar is always shown. */
  isNew?: boolean;
}) {
  const bar = useRef<HTMLDivElement>(null);
  const leaving = useLeaving({ isDirty, isBusy });
  const save = () => leaving.save(() => bar.current?.closest("form")?.requestSubmit());
  return (
    <>
      {(isDirty || isNew) && (
        <div
          ref={bar}
          className="appear sticky bottom-4 z-20 flex flex-wrap items-center gap-2 rounded-lg border border-ink bg-raised px-4 py-2"
        >
          <p className="flex-1">Not saved yet</p>
          {isDirty && (
            <Button variant="plain" onClick={onDiscard} disabled={isBusy}>
              Discard
            </Button>
          )}
          <Button type="submit" variant="main" isBusy={isBusy}>
            {label}
          </Button>
        </div>
      )}
      <Dialog title="Leave without saving?" isOpen={leaving.isAsking} onClose={leaving.stay}>
        <p className="text-soft">You have unsaved changes on this page.</p>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={leaving.stay}>Cancel</Button>
          <Button variant="danger" onClick={leaving.leave}>
            Discard changes
          </Button>
          <Button variant="main" onClick={save}>
            {label}
          </Button>
        </div>
      </Dialog>
    </>
  );
}

/** Blocks navigation while there are unsaved changes. While they are being saved, it asks only if saving fails. */
function useLeaving({ isDirty, isBusy }: { isDirty: boolean; isBusy: boolean }) {
  const [isSaving, setSaving] = useState(false);
  const blocker = useBlocker({
    // Tabs of a page have their own URLs. Switching between them discards no changes, so it is not blocked.
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  const isBlocked = blocker.status === "blocked";
  const latest = useRef({ isDirty, isBusy });
  latest.current = { isDirty, isBusy };
  useEffect(() => {
    if (isBlocked && !isDirty && !isBusy) blocker.proceed();
  }, [blocker, isBlocked, isDirty, isBusy]);
  // Set while saving. If saving has failed, stay on the page, so that the errors at the fields can be read.
  const wasBusy = useRef(false);
  useEffect(() => {
    if (wasBusy.current && !isBusy && isSaving) {
      setSaving(false);
      if (isDirty) blocker.reset?.();
    }
    wasBusy.current = isBusy;
  }, [blocker, isBusy, isDirty, isSaving]);
  return {
    isAsking: isBlocked && isDirty && !isBusy && !isSaving,
    stay: () => blocker.reset?.(),
    leave: () => blocker.proceed?.(),
    save(submit: () => void) {
      setSaving(true);
      submit();
      // If no save starts (for example, because validation failed), cancel the pending navigation so that it does not
      // stay blocked.
      setTimeout(() => {
        if (latest.current.isBusy || !latest.current.isDirty) return;
        setSaving(false);
        blocker.reset?.();
      });
    },
  };
}
