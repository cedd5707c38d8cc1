import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Page } from "../../../components/page.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { canOpen } from "../../../shell/destinations.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { MembersTable } from "./members-table.tsx";
import { OpenInvitations } from "./open-invitations.tsx";
import { PendingLinks } from "./pending-links.tsx";

/** The members, the pending invitations, and the sign-in links that could not be emailed. */
export function MembersPage() {
  const { data: session } = useSuspenseQuery(endpointQuery("getSession"));
  const { data: members } = useSuspenseQuery(endpointQuery("listMembers"));
  const sendsMail = useQuery(endpointQuery("getSignInOptions")).data?.sendsMail ?? true;
  const [isInviting, setInviting] = useState(false);
  const isAdmin = canOpen(session.role, { minimumRole: "admin" });
  return (
    <Page
      isWide
      title="Members"
      description="Members work on agents. Admins also manage members, API keys, secrets and models. Owners can do everything, including reading the audit log."
      actions={
        isAdmin && (
          <Button variant="main" onClick={() => setInviting(true)}>
            Invite member
          </Button>
        )
      }
    >
      <MembersTable members={members} session={session} />
      {isAdmin ? (
        <div className="mt-10">
          <OpenInvitations sendsMail={sendsMail} />
          {session.role === "owner" && <PendingLinks sendsMail={sendsMail} />}
        </div>
      ) : (
        <p className="mt-4 text-soft">Only admins and owners can invite members and change roles.</p>
      )}
      {isInviting && (
        <InviteDialog isOwner={session.role === "owner"} sendsMail={sendsMail} onClose={() => setInviting(false)} />
      )}
    </Page>
  );
}
