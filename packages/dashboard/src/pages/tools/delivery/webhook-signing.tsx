import type { Tool } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { CopyField } from "../../../components/copy-field.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { Section } from "../../../components/page.tsx";
import { ErrorState, Skeleton } from "../../../components/states.tsx";
import { Time } from "../../../components/time.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";

/** Shows and replaces the secret that signs the form's webhooks. For admins. */
export function WebhookSigning({ tool }: { tool: Tool }) {
  const [isShown, setShown] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const { data, error, refetch } = useQuery({
    ...endpointQuery("getWebhookSecret", { id: tool.id }),
    enabled: isShown,
  });
  const rotate = useEndpointMutation("rotateWebhookSecret", {
    changes: ["getWebhookSecret"],
    done: "Signing secret replaced",
  });
  return (
    <Section
      title="Signing secret"
      description="Foyer signs every webhook with it (Standard Webhooks), so your server can verify where requests come from."
      actions={
        <>
          <Button aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? "Hide secret" : "Show secret"}
          </Button>
          <Button onClick={() => setAsking(true)}>Replace secret…</Button>
        </>
      }
    >
      {isShown && error && <ErrorState error={error} onRetry={refetch} />}
      {isShown && !error && !data && <Skeleton className="h-9" />}
      {isShown && data && (
        <div className="grid gap-3">
          <CopyField label="the signing secret" text={data.secret} />
          {data.previousSecret && data.rotatedAt && (
            <p className="text-soft">
              Replaced <Time at={data.rotatedAt} isExact />. For 24 hours after that, webhooks are also signed with the
              previous secret.
            </p>
          )}
        </div>
      )}
      <ConfirmDialog
        title="Replace the signing secret?"
        action="Replace secret"
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
          For 24 hours, webhooks are signed with both secrets, so that you can update your server. After that, only the
          new secret is used.
        </p>
      </ConfirmDialog>
    </Section>
  );
}
