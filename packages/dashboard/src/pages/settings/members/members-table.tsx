import { isAtLeast } from "@foyer/contract/rules/roles";
import type { Output } from "@foyer/sdk";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { Tag } from "../../../components/status.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { useEndpointMutation } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";
import { LowerRoleDialog, RemoveMemberDialog } from "./member-dialogs.tsx";
import { RoleSelect, roleNames } from "./role-select.tsx";

export type Member = Output<"listMembers">[number];
type Session = Output<"getSession">;

/** The members. As on the server, admins cannot change owners, and the only owner cannot be changed. */
export function MembersTable({ members, session }: { members: Member[]; session: Session }) {
  const [removing, setRemoving] = useState<Member | null>(null);
  const owners = members.filter(({ role }) => role === "owner").length;
  const isAdmin = isAtLeast(session.role ?? "member", "admin");
  return (
    <>
      <Table
        label="Members"
        head={
          <>
            <Th>Person</Th>
            <Th>Role</Th>
            <Th className="hidden sm:table-cell">Joined</Th>
            {isAdmin && <ActionsHeader />}
          </>
        }
      >
        {members.map((member) => {
          const isOnlyOwner = member.role === "owner" && owners === 1;
          const mayTouch = isAdmin && !isOnlyOwner && (session.role === "owner" || member.role !== "owner");
          const isSelf = member.id === session.user.id;
          return (
            <Tr key={member.id}>
              <Td>
                <Person {...member} isSelf={isSelf} />
              </Td>
              <Td>{mayTouch ? <RoleCell member={member} session={session} /> : roleNames[member.role]}</Td>
              <Td className="hidden text-soft sm:table-cell">
                <Time at={member.joinedAt} />
              </Td>
              {isAdmin && (
                <ActionsCell>
                  {mayTouch && (
                    <Button
                      variant="plain"
                      className="text-soft"
                      aria-label={isSelf ? "Leave this organization" : `Remove ${member.email}`}
                      onClick={() => setRemoving(member)}
                    >
                      {isSelf ? "Leave" : "Remove"}
                    </Button>
                  )}
                </ActionsCell>
              )}
            </Tr>
          );
        })}
      </Table>
      {isAdmin && owners === 1 && (
        <p className="mt-3 text-sm text-soft">
          The only owner cannot leave or change roles. Make another member an owner first.
        </p>
      )}
      {removing && <RemoveMemberDialog member={removing} session={session} onClose={() => setRemoving(null)} />}
    </>
  );
}

function Person({ name, email, isSelf }: Member & { isSelf: boolean }) {
  // Members without a name are shown by the local part of their email address.
  const hasName = name !== "" && name !== email.split("@")[0];
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-x-2">
      <span className="font-medium">{hasName ? name : email}</span>
      {hasName && <span className="text-soft">{email}</span>}
      {isSelf && <Tag>You</Tag>}
    </div>
  );
}

/**
 * Changes a role immediately, with undo. Users who lower their own role have to confirm, because they could not undo
 * it.
 */
function RoleCell({ member, session }: { member: Member; session: Session }) {
  const [isLosing, setLosing] = useState<Member["role"] | null>(null);
  const update = useEndpointMutation("updateMember", { changes: ["listMembers", "getSession"] });
  const give = (role: Member["role"], { isUndo = false } = {}) =>
    update.mutate(
      { id: member.id, body: { role } },
      {
        onSuccess: () => {
          setLosing(null);
          const undo = () => give(member.role, { isUndo: true });
          const isOwn = member.id === session.user.id;
          notify(`${member.email} is now ${roleWithArticle(role)}`, isUndo || isOwn ? {} : { undo });
        },
      },
    );
  return (
    <>
      <RoleSelect
        label={`Role of ${member.email}`}
        value={update.isPending ? update.variables.body.role : member.role}
        isOwner={session.role === "owner"}
        disabled={update.isPending}
        onChange={(role) => (member.id === session.user.id ? setLosing(role) : give(role))}
      />
      {isLosing && (
        <LowerRoleDialog
          role={roleWithArticle(isLosing)}
          isBusy={update.isPending}
          onClose={() => setLosing(null)}
          onConfirm={() => give(isLosing)}
        />
      )}
    </>
  );
}

const roleWithArticle = (role: Member["role"]) => (role === "member" ? "a member" : `an ${role}`);
