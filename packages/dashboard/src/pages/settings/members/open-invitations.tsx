import type { Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { Section } from "../../../components/page.tsx";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";
import { CopyLink } from "./copy-link.tsx";
import { roleNames } from "./role-select.tsx";

type Invitation = Output<"listInvitations">[number];

/** Invitations that have not been accepted yet. */
export function OpenInvitations({ sendsMail }: { sendsMail: boolean }) {
  const { data, error, refetch } = useQuery(endpointQuery("listInvitations"));
  const [leaving, setLeaving] = useState<Invitation | null>(null);
  return (
    <Section
      title="Pending invitations"
      description={
        sendsMail
          ? "Each person received a link by email. You can also copy it and send it yourself."
          : "Email is not configured. Copy a link and send it yourself."
      }
    >
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!data && !error && <SkeletonRows count={2} label="Loading invitations" />}
      {data?.length === 0 && <p className="text-soft">No pending invitations.</p>}
      {data && data.length > 0 && <InvitationTable invitations={data} onTakeBack={setLeaving} />}
      {leaving && <RevokeDialog invitation={leaving} onClose={() => setLeaving(null)} />}
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
      label="Pending invitations"
      head={
        <>
          <Th>Email</Th>
          <Th className="hidden sm:table-cell">Role</Th>
          <Th className="hidden sm:table-cell">Expires</Th>
          <ActionsHeader />
        </>
      }
    >
      {invitations.map((invitation) => (
        <Tr key={invitation.id}>
          <Td className="min-w-32">
            {invitation.email}
            <div className="text-sm text-soft sm:hidden">
              {roleNames[invitation.role]}, expires <Time at={invitation.expiresAt} />
            </div>
          </Td>
          <Td className="hidden sm:table-cell">{roleNames[invitation.role]}</Td>
          <Td className="hidden text-soft sm:table-cell">
            <Time at={invitation.expiresAt} />
          </Td>
          <ActionsCell>
            <CopyLink url={invitation.url} whose={invitation.email} />
            <Button
              variant="plain"
              className="text-soft"
              aria-label={`Revoke the invitation for ${invitation.email}`}
              onClick={() => onTakeBack(invitation)}
            >
              Revoke
            </Button>
          </ActionsCell>
        </Tr>
      ))}
    </Table>
  );
}

function RevokeDialog({ invitation: { id, email }, onClose }: { invitation: Invitation; onClose: () => void }) {
  const take = useEndpointMutation("deleteInvitation", { changes: ["listInvitations"], done: "Invitation revoked" });
  return (
    <ConfirmDialog
      title={`Revoke the invitation for ${email}?`}
      action="Revoke invitation"
      isOpen
      isBusy={take.isPending}
      onClose={onClose}
      onConfirm={() => take.mutate({ id }, { onSuccess: onClose })}
    >
      <p>Its link stops working immediately.</p>
    </ConfirmDialog>
  );
}
