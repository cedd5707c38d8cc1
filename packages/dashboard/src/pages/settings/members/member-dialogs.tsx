import type { Output } from "@foyer/sdk";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { useEndpointMutation } from "../../../data/queries.ts";
import { serverPath } from "../../../data/server-address.ts";

type Closable = { onClose: () => void };

export function RemoveMemberDialog({
  member: { id, email },
  session: { user, organization },
  onClose,
}: Closable & { member: Output<"listMembers">[number]; session: Output<"getSession"> }) {
  const isSelf = id === user.id;
  const remove = useEndpointMutation("removeMember", {
    changes: isSelf ? [] : ["listMembers"],
    done: isSelf ? "" : `${email} removed`,
  });
  const place = organization?.name ?? "the organization";
  return (
    <ConfirmDialog
      title={isSelf ? `Leave ${place}?` : `Remove ${email}?`}
      action={isSelf ? `Leave ${place}` : `Remove ${email}`}
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      // The user no longer belongs to the organization, so its cached data is cleared.
      onConfirm={() =>
        remove.mutate({ id }, { onSuccess: isSelf ? () => location.assign(serverPath("/dashboard")) : onClose })
      }
    >
      <p>
        {isSelf ? "You lose" : "They lose"} access to {place} immediately. Everything {isSelf ? "you" : "they"} created
        stays, but {isSelf ? "your" : "their"} API keys stop working.
      </p>
      <p>A new invitation is needed to come back.</p>
    </ConfirmDialog>
  );
}

export function LowerRoleDialog({
  role,
  isBusy,
  onClose,
  onConfirm,
}: Closable & { role: string; isBusy: boolean; onConfirm: () => void }) {
  return (
    <ConfirmDialog
      title={`Change your role to ${role.replace(/^an? /, "")}?`}
      action="Change my role"
      isOpen
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p>You cannot undo this yourself. Another owner can.</p>
    </ConfirmDialog>
  );
}
