import type { FormSubmissionDetail } from "@foyer/contract";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { queryClient, useCall } from "../../data/queries.ts";
import { DeliverDialog } from "./deliver-dialog.tsx";
import { isUnderWay, plural } from "./submission-labels.ts";

/** Deliver again, and delete. */
export function SubmissionActs({ submission, fileCount }: { submission: FormSubmissionDetail; fileCount: number }) {
  return (
    <>
      <Redeliver submission={submission} />
      <Delete submission={submission} fileCount={fileCount} />
    </>
  );
}

function Redeliver({ submission }: { submission: FormSubmissionDetail }) {
  const [isAsking, setAsking] = useState(false);
  const { id, deliveries } = submission;
  const retry = useCall("retrySubmission", { changes: ["getSubmission", "listSubmissions"] });
  const hasFailed = deliveries.some(({ state }) => state === "failed");
  const isOpen = hasFailed || deliveries.some(({ state }) => state === "pending");
  const webhook = deliveries.find(({ purpose }) => purpose === "webhook");
  if (!isOpen && !webhook) return null;
  const send = () => retry.mutate({ id }, { onSettled: () => setAsking(false) });
  if (isOpen) {
    return (
      <Button look={hasFailed ? "main" : "quiet"} isBusy={retry.isPending} onClick={send}>
        {hasFailed ? "Redeliver what failed" : "Try again now"}
      </Button>
    );
  }
  return (
    <>
      <Button isBusy={retry.isPending} onClick={() => setAsking(true)}>
        Send the webhook again
      </Button>
      <DeliverDialog
        {...{ title: "Send the webhook again?", action: "Send it again", isOpen: isAsking, isBusy: retry.isPending }}
        onClose={() => setAsking(false)}
        onConfirm={send}
      >
        <p>
          It has arrived already. The receiver gets it a second time, with the same submissionId, at the address that
          the form has now.
        </p>
      </DeliverDialog>
    </>
  );
}

function Delete({ submission, fileCount }: { submission: FormSubmissionDetail; fileCount: number }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const { id, agentId } = submission;
  const remove = useCall("deleteSubmission", { done: "Submission deleted" });
  const confirm = () =>
    remove.mutate(
      { id },
      {
        onSuccess: async () => {
          await navigate({ to: "/agents/$agentId/forms", params: { agentId } });
          queryClient.removeQueries({ queryKey: ["getSubmission", { id }] });
          await queryClient.invalidateQueries({ queryKey: ["listSubmissions"] });
        },
        onError: () => setAsking(false),
      },
    );
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        {...{ title: "Delete this submission?", action: "Delete the submission", isOpen: isAsking }}
        isBusy={remove.isPending}
        onClose={() => setAsking(false)}
        onConfirm={confirm}
      >
        <p>
          Its answers{fileCount > 0 && `, ${plural(fileCount, "file")}`} and the record of its deliveries are gone for
          good, and it does not count in the analytics any more.
        </p>
        {isUnderWay(submission) && <p>It has not arrived everywhere yet. What is still to be sent is not sent then.</p>}
        <p>What was delivered stays with whoever received it.</p>
      </ConfirmDialog>
    </>
  );
}
