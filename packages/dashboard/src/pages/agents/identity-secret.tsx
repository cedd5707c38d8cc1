import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Skeleton } from "../../components/states.tsx";
import { endpointQuery, useEndpointMutation } from "../../data/queries.ts";

/** The secret that signs visitor identities. It is hidden by default, and only admins and owners can see it. */
export function IdentitySecret({ agentId }: { agentId: string }) {
  const role = useQuery(endpointQuery("getSession")).data?.role;
  const [isShown, setShown] = useState(false);
  const secret = useQuery({ ...endpointQuery("getIdentitySecret", { id: agentId }), enabled: isShown, gcTime: 0 });
  if (role === "member") return <p className="text-soft">Only owners and admins can see the identity secret.</p>;
  return (
    <div className="grid gap-2">
      {secret.isError && isShown ? (
        <p role="alert" className="text-wrong">
          {secret.error.message}
        </p>
      ) : isShown && secret.data ? (
        <CopyField label="the identity secret" text={secret.data.identitySecret} />
      ) : isShown ? (
        <Skeleton className="h-[38px]" />
      ) : (
        <p className="flex h-[38px] items-center rounded-lg border border-line bg-sunken px-3 font-mono text-soft">
          <span aria-hidden>{"•".repeat(24)}</span>
          <span className="sr-only">Hidden</span>
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setShown(!isShown)}>{isShown ? "Hide secret" : "Show secret"}</Button>
        <Rotate agentId={agentId} onRotated={() => setShown(true)} />
      </div>
    </div>
  );
}

function Rotate({ agentId, onRotated }: { agentId: string; onRotated: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const rotate = useEndpointMutation("rotateIdentitySecret", {
    changes: ["getIdentitySecret"],
    done: "Identity secret replaced",
  });
  const confirm = () =>
    rotate.mutate(
      { id: agentId },
      {
        onSuccess: () => {
          setOpen(false);
          onRotated();
        },
      },
    );
  return (
    <>
      <Button onClick={() => setOpen(true)}>Replace secret</Button>
      <ConfirmDialog
        title="Replace the identity secret?"
        action="Replace the identity secret"
        isOpen={isOpen}
        isBusy={rotate.isPending}
        onClose={() => setOpen(false)}
        onConfirm={confirm}
      >
        <p>
          Tokens and hashes made with the current secret stop working immediately. Until your server uses the new one,
          requests with a token are rejected, and visitors with a hash are treated as anonymous.
        </p>
      </ConfirmDialog>
    </>
  );
}
