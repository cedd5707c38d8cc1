import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { CopyField } from "../../../components/copy-field.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Select, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { refresh } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import { assignableRoles } from "./role-select.tsx";

type CreatedInvitation = { email: string; url: string };

/** Invites a member. If email is not configured, the dialog shows the link. */
export function InviteDialog({
  isOwner,
  sendsMail,
  onClose,
}: {
  isOwner: boolean;
  sendsMail: boolean;
  onClose: () => void;
}) {
  const [made, setMade] = useState<CreatedInvitation>();
  const form = useDialogForm({ email: "", role: "member" as "member" | "admin" | "owner" }, async (body) => {
    const invitation = await api.createInvitation({ body });
    await refresh("listInvitations");
    if (!sendsMail) return setMade(invitation);
    notify(`Invitation sent to ${invitation.email}`);
    onClose();
  });
  if (made) return <ShareLink {...made} onClose={onClose} />;
  return (
    <FormDialog title="Invite member" action="Invite" form={form} onClose={onClose}>
      <TextField
        label="Email"
        type="email"
        autoComplete="off"
        help={
          sendsMail
            ? "We send a link that works for seven days."
            : "Email is not configured, so you get a link to send yourself."
        }
        value={form.values.email}
        onChange={(email) => form.change({ email })}
        error={form.errorAt("email")}
      />
      <Select
        label="Role"
        options={assignableRoles(isOwner)}
        value={form.values.role}
        onChange={(role) => form.change({ role })}
        error={form.errorAt("role")}
      />
    </FormDialog>
  );
}

function ShareLink({ email, url, onClose }: CreatedInvitation & { onClose: () => void }) {
  return (
    <Dialog
      title={`${email} was invited`}
      description="Send them this link. It works for seven days, and only for this address."
      isOpen
      onClose={onClose}
    >
      <CopyField label="the link" text={url} />
      <div className="flex justify-end">
        <Button variant="main" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
