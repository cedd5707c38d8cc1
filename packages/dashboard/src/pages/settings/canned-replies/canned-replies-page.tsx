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
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";
import { CannedReplyDialog } from "./canned-reply-dialog.tsx";

type CannedReply = Output<"listCannedReplies">[number];

/** The prepared answers that members insert while they talk to a visitor. */
export function CannedRepliesPage() {
  const { data: replies } = useSuspenseQuery(endpointQuery("listCannedReplies"));
  const [editing, setEditing] = useState<CannedReply | "new" | null>(null);
  const [deleting, setDeleting] = useState<CannedReply | null>(null);
  const add = (
    <Button variant="main" onClick={() => setEditing("new")}>
      Create canned reply
    </Button>
  );
  return (
    <Page
      isWide
      title="Canned replies"
      description="Prepared answers for your team, which can also tag, assign, snooze or resolve. Type / in the message field of a conversation to insert one."
      actions={replies.length > 0 && add}
    >
      {replies.length === 0 ? (
        <EmptyState title="No canned replies yet" action={add} preview={<TablePreview columns={["Name", "Text"]} />}>
          Save an answer that your team writes often, such as how a refund works. Everyone in your organization can use
          and edit it.
        </EmptyState>
      ) : (
        <Table
          label="Canned replies"
          head={
            <>
              <Th>Name</Th>
              <Th className="hidden sm:table-cell">Text</Th>
              <ActionsHeader />
            </>
          }
        >
          {replies.map((reply) => (
            <Tr key={reply.id}>
              <Td className="min-w-32">
                <span className="font-medium">{reply.name}</span>
                <span className="line-clamp-2 text-sm text-soft sm:hidden">{reply.text}</span>
              </Td>
              <Td className="hidden sm:table-cell">
                <span className="line-clamp-2 text-soft">{reply.text}</span>
              </Td>
              <ActionsCell>
                <Button variant="plain" aria-label={`Edit ${reply.name}`} onClick={() => setEditing(reply)}>
                  Edit
                </Button>
                <Button
                  variant="plain"
                  className="text-soft"
                  aria-label={`Delete ${reply.name}`}
                  onClick={() => setDeleting(reply)}
                >
                  Delete
                </Button>
              </ActionsCell>
            </Tr>
          ))}
        </Table>
      )}
      {editing && <CannedReplyDialog reply={editing === "new" ? null : editing} onClose={() => setEditing(null)} />}
      {deleting && <DeleteDialog reply={deleting} onClose={() => setDeleting(null)} />}
    </Page>
  );
}

function DeleteDialog({ reply, onClose }: { reply: CannedReply; onClose: () => void }) {
  const remove = useEndpointMutation("deleteCannedReply", {
    changes: ["listCannedReplies"],
    done: `${reply.name} deleted`,
  });
  return (
    <ConfirmDialog
      title={`Delete ${reply.name}?`}
      action="Delete canned reply"
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ id: reply.id }, { onSuccess: onClose })}
    >
      <p>Messages that were written with it stay as they are.</p>
    </ConfirmDialog>
  );
}
