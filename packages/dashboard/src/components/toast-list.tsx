import { X } from "lucide-react";
import { dismiss, useToasts } from "../data/toasts.ts";

/**
 * Short messages that screen readers announce. They are at the top, away from save bars and the buttons at the end of
 * a page. On a phone, a message of one line covers the top bar and not the page's title below it.
 */
export function ToastList() {
  const notices = useToasts();
  return (
    <div
      role="status"
      // Set explicitly: an open dialog hides everything outside of it from screen readers, except live regions.
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 top-1.5 z-50 flex flex-col items-center gap-2 md:top-3"
    >
      {notices.map(({ id, text, isWrong, undo }) => (
        <div
          key={id}
          className="appear pointer-events-auto flex max-w-md items-start gap-3 rounded-lg border border-ink bg-ink px-4 py-3 text-paper"
        >
          <p className="min-w-0 flex-1">
            {isWrong && <span className="font-semibold">Failed. </span>}
            {text}
          </p>
          {undo && (
            <button
              type="button"
              className="font-semibold underline underline-offset-2"
              onClick={() => {
                undo();
                dismiss(id);
              }}
            >
              Undo
            </button>
          )}
          <button type="button" aria-label="Dismiss" className="-m-1 p-1" onClick={() => dismiss(id)}>
            <X size={16} aria-hidden />
          </button>
        </div>
      ))}
    </div>
  );
}
