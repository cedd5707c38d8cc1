import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { pluralize } from "../../components/plural.ts";
import { listSnoozeTimes } from "./snooze-times.ts";

const dayAndTime = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "numeric", minute: "2-digit" });

/** Chooses when a conversation opens again, or several. */
export function SnoozeDialog({
  count = 1,
  onChoose,
  onClose,
}: {
  /** The number of conversations. */
  count?: number;
  onChoose: (until: Date) => void;
  onClose: () => void;
}) {
  const [times] = useState(() => listSnoozeTimes(new Date()));
  return (
    <Dialog
      title={count === 1 ? "Snooze conversation" : `Snooze ${pluralize(count, "conversation")}`}
      description={
        count === 1
          ? "It opens again at this time, or when the visitor writes."
          : "They open again at this time, or when the visitor writes."
      }
      isOpen
      onClose={onClose}
    >
      <ul className="grid gap-1">
        {times.map(({ label, at }) => (
          <li key={label} className="grid">
            <Button
              onClick={() => {
                onClose();
                onChoose(at);
              }}
            >
              <span className="flex w-full justify-between gap-4">
                {label} <span className="text-soft">{dayAndTime.format(at)}</span>
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
