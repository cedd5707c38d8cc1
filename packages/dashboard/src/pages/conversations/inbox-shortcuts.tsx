import { Dialog } from "../../components/dialog.tsx";
import { Toggle } from "../../components/field.tsx";
import { sendKeyName, useSendKey } from "./use-send-key.ts";

const shortcuts: ReadonlyArray<{ keys: readonly string[]; does: string }> = [
  { keys: ["j", "k"], does: "Next or previous conversation" },
  { keys: ["Enter"], does: "Open" },
  { keys: ["x"], does: "Select, for an action on several" },
  { keys: ["Shift", "x"], does: "Select all since the last selected" },
  { keys: ["Esc"], does: "Back to the list" },
  { keys: ["t"], does: "Take over" },
  { keys: ["r"], does: "Write a reply" },
  { keys: ["n"], does: "Write an internal note" },
  { keys: ["a"], does: "Assign to a member or a team" },
  { keys: ["g"], does: "Add a tag" },
  { keys: ["b"], does: "Return to the agent" },
  { keys: ["e"], does: "Resolve and go to the next, or open again" },
  { keys: ["s"], does: "Snooze" },
  { keys: ["c"], does: "End your part and resolve, without going to the next" },
  { keys: ["/"], does: "Search, or insert a canned reply" },
  { keys: [sendKeyName], does: "Send the reply and resolve" },
  { keys: ["↓"], does: "Move from search to the list" },
  { keys: ["Delete"], does: "Delete (asks first)" },
  { keys: ["?"], does: "Show keyboard shortcuts" },
];

export function ShortcutList() {
  return (
    <dl aria-label="Keyboard shortcuts" className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-2 text-sm">
      {shortcuts.map(({ keys, does }) => (
        <div key={does} className="contents">
          <dt className="flex gap-1">
            {keys.map((key) => (
              <kbd key={key} className="rounded-md border border-line px-1.5 font-sans">
                {key}
              </kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}

/** All shortcuts, and the switch for those that are a single character. */
export function ShortcutsDialog({
  keys,
  isOpen,
  onClose,
}: {
  keys: { isOn: boolean; toggle: () => void };
  isOpen: boolean;
  onClose: () => void;
}) {
  const sendKey = useSendKey();
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <ShortcutList />
      <Toggle
        label="Single-key shortcuts"
        help="Turn them off if you use speech input. Enter, Esc, Delete and the arrow keys keep working."
        value={keys.isOn}
        onChange={keys.toggle}
      />
      <Toggle
        label={`${sendKeyName} also resolves`}
        help="Otherwise it only sends. This applies to this browser."
        value={sendKey.resolves}
        onChange={sendKey.toggle}
      />
    </Dialog>
  );
}
