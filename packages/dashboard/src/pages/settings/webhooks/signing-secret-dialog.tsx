import type { Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { CopyField } from "../../../components/copy-field.tsx";
import { ConfirmDialog, Dialog } from "../../../components/dialog.tsx";
import { ErrorState, Skeleton } from "../../../components/states.tsx";
import { Time } from "../../../components/time.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import type { AgentForm } from "../use-all-tools.ts";

type Secret = Output<"getWebhookSecret">;

/** How long the previous secret remains valid after a rotation, in milliseconds. */
const OVERLAP_MS = 86_400_000;

/** Shows a form's signing secret on demand, and replaces it without interruption. */
export function SigningSecretDialog({ form: { tool, agent }, onClose }: { form: AgentForm; onClose: () => void }) {
  const { data, error, refetch } = useQuery({ ...endpointQuery("getWebhookSecret", { id: tool.id }), gcTime: 0 });
  const [isRotating, setRotating] = useState(false);
  const rotate = useEndpointMutation("rotateWebhookSecret", {
    changes: ["getWebhookSecret"],
    done: "Secret replaced. The previous one stays valid for 24 hours",
  });
  if (isRotating) {
    return (
      <ConfirmDialog
        title={`Replace the signing secret of ${tool.name}?`}
        action="Replace signing secret"
        isOpen
        isBusy={rotate.isPending}
        onClose={() => setRotating(false)}
        onConfirm={() => rotate.mutate({ id: tool.id }, { onSuccess: () => setRotating(false) })}
      >
        <p>
          For 24 hours, every delivery is signed with both the current and the new secret. Update the receiver within
          that time.
        </p>
        {data?.previousSecret && <p>The previous secret stops working immediately.</p>}
      </ConfirmDialog>
    );
  }
  return (
    <Dialog
      title={`Signing secret of ${tool.name}`}
      description={`The receiver uses it to verify that a delivery comes from ${agent.name}'s form.`}
      isOpen
      onClose={onClose}
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton className="h-10" />}
      {data && <SecretView secret={data} onRotate={() => setRotating(true)} />}
    </Dialog>
  );
}

function SecretView({
  secret: { secret, previousSecret, rotatedAt },
  onRotate,
}: {
  secret: Secret;
  onRotate: () => void;
}) {
  const [isShown, setShown] = useState(false);
  return (
    <>
      {isShown ? (
        <CopyField label="the secret" text={secret} />
      ) : (
        <div className="flex items-center gap-2 rounded-lg border border-line bg-sunken ps-3">
          <code className="flex-1 font-mono text-soft">whsec_ …</code>
          <Button look="plain" onClick={() => setShown(true)}>
            Show
          </Button>
        </div>
      )}
      {isShown && previousSecret && (
        <div className="grid gap-2">
          <h3 className="font-medium">Previous secret</h3>
          <CopyField label="the previous secret" text={previousSecret} />
        </div>
      )}
      <p className="text-soft">
        {rotatedAt ? (
          <>
            Replaced on <Time at={rotatedAt} isExact />.
            {previousSecret && (
              <>
                {" "}
                The previous secret is valid until <Time at={Date.parse(rotatedAt) + OVERLAP_MS} isExact />.
              </>
            )}
          </>
        ) : (
          "Never replaced."
        )}
      </p>
      <div className="flex justify-end">
        <Button onClick={onRotate}>Replace secret</Button>
      </div>
    </>
  );
}
