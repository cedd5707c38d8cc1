import type { Output } from "@foyer/sdk";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../../components/button.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { TablePreview } from "../../../components/empty-previews.tsx";
import { Page } from "../../../components/page.tsx";
import { EmptyState } from "../../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { canOpen } from "../../../shell/destinations.tsx";
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";
import { assignmentNames, TeamDialog } from "./team-dialog.tsx";

type Team = Output<"listTeams">[number];

/** The teams that conversations are assigned to. Admins change them. */
export function TeamsPage() {
  const { data: teams } = useSuspenseQuery(endpointQuery("listTeams"));
  const { data: session } = useSuspenseQuery(endpointQuery("getSession"));
  const [editing, setEditing] = useState<Team | "new" | null>(null);
  const [deleting, setDeleting] = useState<Team | null>(null);
  const mayChange = canOpen(session.role, { minimumRole: "admin" });
  const add = mayChange && (
    <Button variant="main" onClick={() => setEditing("new")}>
      Create team
    </Button>
  );
  return (
    <Page
      isWide
      title="Teams"
      description="Assign conversations to a group of members, by hand or automatically. An agent can name the team of its requests under Handoff."
      actions={teams.length > 0 && add}
    >
      {teams.length === 0 ? (
        <EmptyState
          title="No teams yet"
          action={add}
          preview={<TablePreview columns={["Name", "Members", "Assignment"]} />}
        >
          A team has members, a way to assign conversations to them, and targets for how fast they answer. Without
          teams, every member is notified of every waiting visitor.
        </EmptyState>
      ) : (
        <Table
          label="Teams"
          head={
            <>
              <Th>Name</Th>
              <Th className="hidden sm:table-cell">Members</Th>
              <Th className="hidden sm:table-cell">Assignment</Th>
              {mayChange && <ActionsHeader />}
            </>
          }
        >
          {teams.map((team) => (
            <Tr key={team.id}>
              <Td className="min-w-32">
                <span className="font-medium wrap-anywhere">{team.name}</span>
                {team.description && <span className="line-clamp-2 text-sm text-soft">{team.description}</span>}
              </Td>
              <Td className="hidden text-soft sm:table-cell">{team.members.map(({ name }) => name).join(", ")}</Td>
              <Td className="hidden text-soft sm:table-cell">{assignmentNames[team.assignment]}</Td>
              {mayChange && (
                <ActionsCell>
                  <Button variant="plain" aria-label={`Edit ${team.name}`} onClick={() => setEditing(team)}>
                    Edit
                  </Button>
                  <Button
                    variant="plain"
                    className="text-soft"
                    aria-label={`Delete ${team.name}`}
                    onClick={() => setDeleting(team)}
                  >
                    Delete
                  </Button>
                </ActionsCell>
              )}
            </Tr>
          ))}
        </Table>
      )}
      {editing && (
        <TeamDialog team={editing === "new" ? null : editing} teams={teams} onClose={() => setEditing(null)} />
      )}
      {deleting && <DeleteDialog team={deleting} onClose={() => setDeleting(null)} />}
    </Page>
  );
}

function DeleteDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const remove = useEndpointMutation("deleteTeam", {
    changes: ["listTeams", "listConversations", "getConversation"],
    done: `${team.name} deleted`,
  });
  return (
    <ConfirmDialog
      title={`Delete ${team.name}?`}
      action="Delete team"
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ id: team.id }, { onSuccess: onClose })}
    >
      <p>Its conversations are kept. Visitors who wait for this team wait for all members instead.</p>
    </ConfirmDialog>
  );
}
