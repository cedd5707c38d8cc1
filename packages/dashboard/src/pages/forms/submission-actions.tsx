import type { FormSubmissionDetail } from "@foyer/contract";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { AdminNote } from "../../components/admin-fields.tsx";
import { Button } from "../../components/button.tsx";
import { DeleteSection } from "../../components/delete-section.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { pluralize } from "../../components/plural.ts";
import { queryClient, useEndpointMutation } from "../../data/queries.ts";
import { useRole } from "../../data/use-role.ts";
import { DeliverDialog } from "./deliver-dialog.tsx";
import { isInProgress } from "./submission-labels.ts";

/** Retries what failed or is pending. If everything was delivered, it offers to send the webhook again. */
export function RedeliverSubmission({ submission }: { submission: FormSubmissionDetail }) {
  const [isAsking, setAsking] = useState(false);
  const { id, deliveries } = submission;
  const retry = useEndpointMutation("retrySubmission", { changes: ["getSubmission", "listSubmissions"] });
  const hasFailed = deliveries.some(({ state }) => state === "failed");
  const isOpen = hasFailed || deliveries.some(({ state }) => state === "pending");
  const webhook = deliveries.find(({ purpose }) => purpose === "webhook");
  if (!isOpen && !webhook) return null;
  const send = () => retry.mutate({ id }, { onSettled: () => setAsking(false) });
  if (isOpen) {
    return (
      <Button variant={hasFailed ? "main" : "quiet"} isBusy={retry.isPending} onClick={send}>
        {hasFailed ? "Redeliver failed" : "Try again now"}
      </Button>
    );
  }
  return (
    <>
      <Button isBusy={retry.isPending} onClick={() => setAsking(true)}>
        Send webhook again
      </Button>
      <DeliverDialog
        title="Send webhook again?"
        action="Send webhook again"
        isOpen={isAsking}
        isBusy={retry.isPending}
        onClose={() => setAsking(false)}
        onConfirm={send}
      >
        <p>
          The webhook was already delivered. The receiver gets it a second time with the same submissionId, at the
          form's current URL.
        </p>
      </DeliverDialog>
    </>
  );
}

/** The section at the end of a submission's page that deletes it. */
export function DeleteSubmission({ submission, fileCount }: { submission: FormSubmissionDetail; fileCount: number }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  const { id, agentId } = submission;
  const remove = useEndpointMutation("deleteSubmission", { done: "Submission deleted" });
  const { isAdmin } = useRole();
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
  if (!isAdmin) return <AdminNote>Only owners and admins can delete a submission.</AdminNote>;
  return (
    <>
      <DeleteSection
        title="Delete submission"
        description="Its answers, files and delivery history are deleted, and it is removed from the analytics."
        action="Delete submission"
        onDelete={() => setAsking(true)}
      />
      <ConfirmDialog
        title="Delete this submission?"
        action="Delete submission"
        isOpen={isAsking}
        isBusy={remove.isPending}
        onClose={() => setAsking(false)}
        onConfirm={confirm}
      >
        <p>
          Its answers{fileCount > 0 && `, ${pluralize(fileCount, "file")}`} and its delivery history are permanently
          deleted, and it is removed from the analytics.
        </p>
        {isInProgress(submission) && <p>Deliveries are still in progress. They will be canceled.</p>}
        <p>Receivers keep what was already delivered.</p>
      </ConfirmDialog>
    </>
  );
}
