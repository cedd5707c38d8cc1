import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { TextArea } from "../../components/field.tsx";

/** The server's limit, in characters. */
const MAX_NOTE = 4_000;

/** Returns the conversation to the agent, with a note that the agent reads and the visitor does not. */
export function ReturnDialog({
  agentName,
  isBusy,
  returnToAgent,
  onClose,
}: {
  agentName: string;
  isBusy: boolean;
  /** Resolves to whether it succeeded. */
  returnToAgent: (note: string) => Promise<boolean>;
  onClose: () => void;
}) {
  const [note, setNote] = useState("");
  return (
    <Dialog title={`Return to ${agentName}`} isOpen onClose={onClose}>
      <form
        className="grid gap-4"
        onSubmit={async (event) => {
          event.preventDefault();
          if (await returnToAgent(note)) onClose();
        }}
      >
        <TextArea
          label={`Note for ${agentName}`}
          isOptional
          help="What was agreed, and what the agent should not offer again. The visitor does not see it."
          maxLength={MAX_NOTE}
          value={note}
          onChange={setNote}
        />
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="main" isBusy={isBusy}>
            Return to agent
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
