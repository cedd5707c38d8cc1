import type { Output } from "@foyer/sdk";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { useCall } from "../../data/queries.ts";

type Closable = { onClose: () => void };

export function RemovingMember({
  member: { id, email },
  session: { user, organization },
  onClose,
}: Closable & { member: Output<"listMembers">[number]; session: Output<"getSession"> }) {
  const isSelf = id === user.id;
  const remove = useCall("removeMember", {
    changes: isSelf ? [] : ["listMembers"],
    done: isSelf ? "" : `${email} is removed`,
  });
  const place = organization?.name ?? "the organization";
  return (
    <ConfirmDialog
      title={isSelf ? `Leave ${place}?` : `Remove ${email}?`}
      action={isSelf ? `Leave ${place}` : `Remove ${email}`}
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      // What this browser knows of the organization is nobody's business any more.
      onConfirm={() => remove.mutate({ id }, { onSuccess: isSelf ? () => location.assign("/dashboard") : onClose })}
    >
      <p>
        {isSelf ? "You lose" : "They lose"} access to {place} at once. What {isSelf ? "you" : "they"} made stays, and so
        do API keys.
      </p>
      <p>To come back takes a new invitation.</p>
    </ConfirmDialog>
  );
}

export function LosingRights({
  role,
  isBusy,
  onClose,
  onConfirm,
}: Closable & { role: string; isBusy: boolean; onConfirm: () => void }) {
  return (
    <ConfirmDialog
      title={`Become ${role}?`}
      action="Give up my rights"
      isOpen
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p>You cannot take this back yourself. Another owner can.</p>
    </ConfirmDialog>
  );
}
