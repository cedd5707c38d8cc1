import type { Output } from "@foyer/sdk";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button, ButtonLink } from "../../../components/button.tsx";
import { ConfirmDialog } from "../../../components/dialog.tsx";
import { TablePreview } from "../../../components/empty-previews.tsx";
import { TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { Page } from "../../../components/page.tsx";
import { EmptyState } from "../../../components/states.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { Time } from "../../../components/time.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { endpointQuery, refresh, useEndpointMutation } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";

type Tag = Output<"listTags">[number];

/** The organization's tags. Members create them in the inbox by adding them to a conversation. */
export function TagsPage() {
  const { data: tags } = useSuspenseQuery(endpointQuery("listTags"));
  const [renaming, setRenaming] = useState<Tag | null>(null);
  const [deleting, setDeleting] = useState<Tag | null>(null);
  return (
    <Page
      isWide
      title="Tags"
      description="Your team sorts conversations by tags. To create a tag, add it to a conversation."
    >
      {tags.length === 0 ? (
        <EmptyState
          title="No tags yet"
          preview={<TablePreview columns={["Name", "Created"]} />}
          action={
            <ButtonLink variant="main" to="/">
              Go to conversations
            </ButtonLink>
          }
        >
          Open a conversation and press <strong className="font-medium">Add tag</strong>. Everyone in your organization
          can then find conversations by that tag.
        </EmptyState>
      ) : (
        <Table
          label="Tags"
          head={
            <>
              <Th>Name</Th>
              <Th className="hidden sm:table-cell">Created</Th>
              <ActionsHeader />
            </>
          }
        >
          {tags.map((tag) => (
            <Tr key={tag.id}>
              <Td className="w-full font-medium wrap-anywhere">{tag.name}</Td>
              <Td className="hidden text-soft sm:table-cell">
                <Time at={tag.createdAt} />
              </Td>
              <ActionsCell>
                <Button variant="plain" aria-label={`Rename ${tag.name}`} onClick={() => setRenaming(tag)}>
                  Rename
                </Button>
                <Button
                  variant="plain"
                  className="text-soft"
                  aria-label={`Delete ${tag.name}`}
                  onClick={() => setDeleting(tag)}
                >
                  Delete
                </Button>
              </ActionsCell>
            </Tr>
          ))}
        </Table>
      )}
      {renaming && <RenameDialog tag={renaming} onClose={() => setRenaming(null)} />}
      {deleting && <DeleteDialog tag={deleting} onClose={() => setDeleting(null)} />}
    </Page>
  );
}

function RenameDialog({ tag, onClose }: { tag: Tag; onClose: () => void }) {
  const form = useDialogForm({ name: tag.name }, async (body) => {
    await api.updateTag({ id: tag.id, body });
    await refresh("listTags", "listConversations", "getConversation");
    notify("Tag renamed");
    onClose();
  });
  return (
    <FormDialog title="Rename tag" action="Rename" form={form} onClose={onClose}>
      <TextField
        label="Name"
        help="Conversations that have this tag show the new name."
        autoComplete="off"
        value={form.values.name}
        onChange={(name) => form.change({ name })}
        error={form.errorAt("name")}
      />
    </FormDialog>
  );
}

function DeleteDialog({ tag, onClose }: { tag: Tag; onClose: () => void }) {
  const remove = useEndpointMutation("deleteTag", {
    changes: ["listTags", "listConversations", "getConversation"],
    done: `${tag.name} deleted`,
  });
  return (
    <ConfirmDialog
      title={`Delete ${tag.name}?`}
      action="Delete tag"
      isOpen
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate({ id: tag.id }, { onSuccess: onClose })}
    >
      <p>This removes the tag from all conversations. The conversations themselves are kept.</p>
    </ConfirmDialog>
  );
}
