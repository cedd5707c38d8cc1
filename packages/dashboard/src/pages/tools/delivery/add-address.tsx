import { maxEmailLength } from "@foyer/contract/rules/limits";
import { FoyerError } from "@foyer/sdk";
import { type KeyboardEvent, useState } from "react";
import { Button } from "../../../components/button.tsx";
import { isComposing } from "../../../components/composing.ts";
import { TextField } from "../../../components/field.tsx";
import { toSentence } from "../../../components/use-draft.ts";

/** Adds an address outside the organization. The server emails it a confirmation link. */
export function AddAddress({
  add,
  onAdded,
}: {
  add: (address: string) => Promise<string>;
  onAdded: (address: string) => void;
}) {
  const [text, setText] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const send = async () => {
    setBusy(true);
    try {
      onAdded(await add(text));
      setText("");
      setOpen(false);
    } catch (error) {
      setError(error);
    } finally {
      setBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || isComposing(event)) return;
    // Enter would otherwise save the tool that this field is part of.
    event.preventDefault();
    if (!isBusy) void send();
  };
  if (!isOpen) {
    return (
      <Button className="justify-self-start" onClick={() => setOpen(true)}>
        Add another address
      </Button>
    );
  }
  return (
    <div className="flex flex-wrap items-start gap-2">
      <div className="min-w-0 flex-1 basis-60">
        <TextField
          label="Email address"
          type="email"
          value={text}
          onChange={(value) => {
            setText(value);
            setError(null);
          }}
          onKeyDown={onKeyDown}
          error={describeProblem(error)}
          help="We'll email a confirmation link. Submissions are sent to this address once it is confirmed."
          maxLength={maxEmailLength}
          autoComplete="off"
        />
      </div>
      <div className="flex gap-2 pt-[22px]">
        <Button isBusy={isBusy} onClick={() => void send()}>
          Send link
        </Button>
        <Button variant="plain" onClick={() => setOpen(false)}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

/** The server's reason if it concerns the address. Other errors are shown as toasts. */
function describeProblem(error: unknown): string | undefined {
  const detail = error instanceof FoyerError ? error.details[0] : undefined;
  return detail && toSentence(detail.message);
}
