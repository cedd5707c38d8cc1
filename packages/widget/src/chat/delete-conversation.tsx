/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { usePanel } from "../panel/panel-context.ts";

/** Deletes the open conversation once the visitor has confirmed it. */
export function DeleteConversation({ onDone }: { onDone: () => void }): JSX.Element {
  const { chat, messages } = usePanel();
  const [step, setStep] = useState<"offer" | "confirm" | "deleting" | "failed">("offer");
  if (step === "offer") {
    return (
      <button type="button" class="quiet" onClick={() => setStep("confirm")}>
        {messages.deleteConversation}
      </button>
    );
  }
  const confirm = async () => {
    setStep("deleting");
    if (await chat.deleteCurrent()) onDone();
    else setStep("failed");
  };
  return (
    <section class="delete-confirm" aria-label={messages.deleteConversation}>
      <p>{step === "failed" ? messages.conversationNotDeleted : messages.deleteQuestion}</p>
      <div class="buttons">
        <button type="button" class="quiet" disabled={step === "deleting"} onClick={confirm}>
          {messages.deleteConfirm}
        </button>
        <button type="button" class="quiet" disabled={step === "deleting"} onClick={() => setStep("offer")}>
          {messages.cancel}
        </button>
      </div>
    </section>
  );
}
