import { isAtLeast, minimumRole } from "@foyer/contract/rules/roles";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Toggle } from "../../components/field.tsx";
import { pluralize } from "../../components/plural.ts";
import { TrashNote } from "../../components/trash-note.tsx";
import { endpointQuery, queryClient, useEndpointMutation } from "../../data/queries.ts";
import { useMoveToTrash } from "../../data/trash.ts";

/**
 * Confirms that a conversation is moved to the trash, or deleted permanently with the forms that were submitted in it. `id` is null while it is closed.
 */
export function DeleteConversation({
  id,
  onClose,
  onDeleted,
}: {
  id: string | null;
  onClose: () => void;
  onDeleted: (id: string) => void;
}) {
  const [isWithForms, setWithForms] = useState(false);
  const { data } = useQuery({
    ...endpointQuery("listSubmissions", { conversationId: id ?? "", limit: 1 }),
    enabled: id !== null,
  });
  const role = useQuery(endpointQuery("getSession")).data?.role ?? "member";
  const forms = data?.pagination.total ?? 0;
  const remove = useEndpointMutation("deleteConversation", {
    changes: ["listSubmissions"],
    done: "Conversation deleted",
  });
  const move = useMoveToTrash("conversation");
  const close = () => {
    setWithForms(false);
    onClose();
  };
  const confirm = async () => {
    if (id === null) return;
    if (isWithForms) await remove.mutateAsync({ id, submissions: true });
    else await move.mutateAsync({ id, name: "Conversation" });
    onDeleted(id);
    close();
    queryClient.removeQueries({ queryKey: ["getConversation", { id }] });
  };
  return (
    <ConfirmDialog
      title="Delete this conversation?"
      action={isWithForms ? "Delete conversation and forms" : "Delete conversation"}
      isOpen={id !== null}
      isBusy={remove.isPending || move.isPending}
      onClose={close}
      // The mutations show errors as a toast.
      onConfirm={() => confirm().catch(() => {})}
    >
      {isWithForms ? <p>This permanently deletes all of its messages.</p> : <TrashNote />}
      {forms > 0 && isAtLeast(role, minimumRole("DELETE", "/conversations/:id")) && (
        <Toggle
          label={`Also delete ${pluralize(forms, "form submission")}`}
          help="Permanently, with its files and delivery history. Otherwise, what the visitor submitted is kept under Submissions."
          value={isWithForms}
          onChange={setWithForms}
        />
      )}
    </ConfirmDialog>
  );
}
