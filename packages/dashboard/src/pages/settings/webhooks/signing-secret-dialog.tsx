import type { Webhook, WebhookSecret } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { CopyField } from "../../../components/copy-field.tsx";
import { ConfirmDialog, Dialog } from "../../../components/dialog.tsx";
import { ErrorState, Skeleton } from "../../../components/states.tsx";
import { Time } from "../../../components/time.tsx";
import { toolTitle } from "../../../components/tool-title.ts";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import type { AgentForm } from "../use-all-tools.ts";
import { webhookName } from "./webhook-labels.ts";

/** How long the previous secret remains valid after a rotation, in milliseconds. */
const OVERLAP_MS = DAY_MS;
const replaced = "Secret replaced. The previous one stays valid for 24 hours";

/** Shows a form's signing secret on demand, and replaces it without interruption. */
export function FormSecretDialog({ form: { tool, agent }, onClose }: { form: AgentForm; onClose: () => void }) {
  const id = tool.id;
  const query = useQuery({ ...endpointQuery("getWebhookSecret", { id }), gcTime: 0 });
  const rotate = useEndpointMutation("rotateWebhookSecret", { changes: ["getWebhookSecret"], done: replaced });
  return (
    <SigningSecretDialog
      name={toolTitle(tool.name)}
      description={`The receiver uses it to verify that a delivery comes from ${agent.name}'s form.`}
      query={query}
      isRotating={rotate.isPending}
      onRotate={(onDone) => rotate.mutate({ id }, { onSuccess: onDone })}
      onClose={onClose}
    />
  );
}

/** Shows a webhook's signing secret on demand, and replaces it without interruption. */
export function WebhookSecretDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { id } = webhook;
  const query = useQuery({ ...endpointQuery("getWebhookSigningSecret", { id }), gcTime: 0 });
  const rotate = useEndpointMutation("rotateWebhookSigningSecret", {
    changes: ["getWebhookSigningSecret"],
    done: replaced,
  });
  return (
    <SigningSecretDialog
      name={webhookName(webhook)}
      description="The receiver uses it to verify that an event comes from Foyer."
      query={query}
      isRotating={rotate.isPending}
      onRotate={(onDone) => rotate.mutate({ id }, { onSuccess: onDone })}
      onClose={onClose}
    />
  );
}

function SigningSecretDialog({
  name,
  description,
  query: { data, error, refetch },
  isRotating,
  onRotate,
  onClose,
}: {
  /** The name of the signed messages. */
  name: string;
  description: string;
  query: Pick<UseQueryResult<WebhookSecret>, "data" | "error" | "refetch">;
  isRotating: boolean;
  onRotate: (onDone: () => void) => void;
  onClose: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  if (isAsking) {
    return (
      <ConfirmDialog
        title={`Replace the signing secret of ${name}?`}
        action="Replace signing secret"
        isOpen
        isBusy={isRotating}
        onClose={() => setAsking(false)}
        onConfirm={() => onRotate(() => setAsking(false))}
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
    <Dialog title={`Signing secret of ${name}`} description={description} isOpen onClose={onClose}>
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton className="h-10" />}
      {data && <SecretView secret={data} onRotate={() => setAsking(true)} />}
    </Dialog>
  );
}

function SecretView({
  secret: { secret, previousSecret, rotatedAt },
  onRotate,
}: {
  secret: WebhookSecret;
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
          <Button variant="plain" onClick={() => setShown(true)}>
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
