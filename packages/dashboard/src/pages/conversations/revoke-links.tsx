import { Link2Off } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { useEndpointMutation } from "../../data/queries.ts";

/** A button that makes the links in all emails to the visitor stop working, after a confirmation. */
export function RevokeLinks({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  const call = useEndpointMutation("revokeConversationLinks", { done: "Emailed links revoked" });
  const close = () => setOpen(false);
  return (
    <>
      <IconButton label="Revoke emailed links" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Link2Off size={16} aria-hidden />
      </IconButton>
      <ConfirmDialog
        title="Revoke the emailed links?"
        action="Revoke links"
        isOpen={isOpen}
        isBusy={call.isPending}
        onClose={close}
        // The mutation shows errors as a toast.
        onConfirm={() => call.mutateAsync({ id }).then(close, () => {})}
      >
        <p>
          The links to this conversation in emails sent so far stop working. The next email contains a new link. The
          visitor's own browser keeps access.
        </p>
      </ConfirmDialog>
    </>
  );
}
