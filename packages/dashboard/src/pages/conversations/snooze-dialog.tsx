import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { listSnoozeTimes } from "./snooze-times.ts";

const dayAndTime = new Intl.DateTimeFormat(undefined, { weekday: "short", hour: "numeric", minute: "2-digit" });

/** Chooses when the conversation opens again. */
export function SnoozeDialog({ onChoose, onClose }: { onChoose: (until: Date) => void; onClose: () => void }) {
  const [times] = useState(() => listSnoozeTimes(new Date()));
  return (
    <Dialog
      title="Snooze conversation"
      description="It opens again at this time, or when the visitor writes."
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
