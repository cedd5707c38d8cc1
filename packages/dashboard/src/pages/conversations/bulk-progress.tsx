import type { BulkAction, BulkActionName } from "@foyer/contract";
import { useBulkActions } from "./bulk-actions.ts";

const doing: Record<BulkActionName, string> = {
  assign: "Assigning",
  resolve: "Resolving",
  reopen: "Opening",
  snooze: "Snoozing",
  read: "Marking as read",
  tag: "Tagging",
  untag: "Removing the tag",
  trash: "Deleting",
};

/** How far the server is with bulk actions. Their end is reported as a message. */
export function BulkProgress() {
  return useBulkActions().map((action) => <Progress key={action.id} action={action} />);
}

function Progress({ action: { action, state, total, done, skipped, undone } }: { action: BulkAction }) {
  const isUndoing = state === "undoing";
  const all = isUndoing ? done : total;
  const finished = isUndoing ? undone : done + skipped;
  const name = isUndoing ? "Undoing" : doing[action];
  return (
    <div className="grid gap-1.5 border-t border-line px-4 py-2 text-sm xl:ps-8">
      <span className="flex justify-between gap-4">
        {name}…
        {all !== null && (
          <span className="text-soft tabular-nums">
            {finished.toLocaleString()} of {all.toLocaleString()}
          </span>
        )}
      </span>
      <div
        role="progressbar"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={all ?? undefined}
        aria-valuenow={all === null ? undefined : finished}
        className="h-1 overflow-hidden rounded-full bg-sunken"
      >
        <div data-fill className="h-full bg-ink" style={{ width: `${all ? (100 * finished) / all : 0}%` }} />
      </div>
    </div>
  );
}
