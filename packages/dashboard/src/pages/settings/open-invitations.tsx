import type { Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Section } from "../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { ask, useCall } from "../../data/queries.ts";
import { ActCell, ActHead } from "./act-cell.tsx";
import { CopyLink } from "./copy-link.tsx";
import { roleNames } from "./role-select.tsx";

type Invitation = Output<"listInvitations">[number];

/** Who is invited and has not come yet. */
export function OpenInvitations({ sendsMail }: { sendsMail: boolean }) {
  const { data, error, refetch } = useQuery(ask("listInvitations"));
  const [leaving, setLeaving] = useState<Invitation | null>(null);
  return (
    <Section
      title="Invited"
      description={
        sendsMail
          ? "Links were mailed. You can hand them on yourself, too."
          : "This server sends no mail: copy a link and hand it on."
      }
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={2} label="Loading invitations" />}
      {data?.length === 0 && <p className="text-soft">Nobody is invited at the moment.</p>}
      {data && data.length > 0 && <InvitationTable invitations={data} onTakeBack={setLeaving} />}
      {leaving && <TakingBack invitation={leaving} onClose={() => setLeaving(null)} />}
    </Section>
  );
}

function InvitationTable({
  invitations,
  onTakeBack,
}: {
  invitations: Invitation[];
  onTakeBack: (invitation: Invitation) => void;
}) {
  return (
    <Table
      label="Open invitations"
      head={
        <>
          <Th>E-mail</Th>
          <Th className="hidden sm:table-cell">Role</Th>
          <Th className="hidden sm:table-cell">Until</Th>
          <ActHead />
        </>
      }
    >
      {invitations.map((invitation) => (
        <Tr key={invitation.id}>
          <Td className="min-w-32">
            {invitation.email}
            <div className="text-sm text-soft sm:hidden">
              {roleNames[invitation.role]}, until <Time at={invitation.expiresAt} />
            </div>
          </Td>
          <Td className="hidden sm:table-cell">{roleNames[invitation.role]}</Td>
          <Td className="hidden text-soft sm:table-cell">
            <Time at={invitation.expiresAt} />
          </Td>
          <ActCell>
            <CopyLink url={invitation.url} whose={invitation.email} />
            <Button
              look="plain"
              className="text-soft"
              aria-label={`Take back the invitation of ${invitation.email}`}
              onClick={() => onTakeBack(invitation)}
            >
              Take back
            </Button>
          </ActCell>
        </Tr>
      ))}
    </Table>
  );
}

function TakingBack({ invitation: { id, email }, onClose }: { invitation: Invitation; onClose: () => void }) {
  const take = useCall("deleteInvitation", { changes: ["listInvitations"], done: "The invitation is taken back" });
  return (
    <ConfirmDialog
      title={`Take back the invitation of ${email}?`}
      action="Take the invitation back"
      isOpen
      isBusy={take.isPending}
      onClose={onClose}
      onConfirm={() => take.mutate({ id }, { onSuccess: onClose })}
    >
      <p>Its link stops working at once.</p>
    </ConfirmDialog>
  );
}
