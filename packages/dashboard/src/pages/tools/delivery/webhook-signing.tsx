import type { Tool } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Copyable } from "../../../components/copy-field.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { Section } from "../../../components/page.tsx";
import { ErrorState, Skeleton } from "../../../components/states.tsx";
import { Time } from "../../../components/time.tsx";
import { ask, useCall } from "../../../data/queries.ts";

/** What signs the form's webhooks, shown when asked for, and replaced. For admins. */
export function WebhookSigning({ tool }: { tool: Tool }) {
  const [isShown, setShown] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { data, error, refetch } = useQuery({ ...ask("getWebhookSecret", { id: tool.id }), enabled: isShown });
  const rotate = useCall("rotateWebhookSecret", { changes: ["getWebhookSecret"], done: "There is a new secret" });
  return (
    <Section
      title="Signing secret"
      description="Every webhook is signed with it as Standard Webhooks has it, so that your server can tell ours from anybody’s."
      actions={
        <>
          <Button aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? "Hide the secret" : "Show the secret"}
          </Button>
          <Button onClick={() => setAsking(true)}>Replace it</Button>
        </>
      }
    >
      {isShown && error && <ErrorState error={error} onRetry={refetch} />}
      {isShown && !error && !data && <Skeleton className="h-9" />}
      {isShown && data && (
        <div className="grid gap-3">
          <Copyable label="the signing secret" text={data.secret} />
          {data.previousSecret && data.rotatedAt && (
            <p className="text-soft">
              Replaced <Time at={data.rotatedAt} isExact />. For a day after that, webhooks are signed with the previous
              secret, too.
            </p>
          )}
        </div>
      )}
      <ConfirmDialog
        title="Replace the signing secret?"
        action="Replace the secret"
        isOpen={isAsking}
        isBusy={rotate.isPending}
        onClose={() => setAsking(false)}
        onConfirm={() =>
          rotate.mutate(
            { id: tool.id },
            {
              onSettled: () => {
                setAsking(false);
                setShown(true);
              },
            },
          )
        }
      >
        <p>
          For a day both sign, so that nothing is refused while you change your server. After that, only the new one
          does.
        </p>
      </ConfirmDialog>
    </Section>
  );
}
