import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Toggle } from "../../components/field.tsx";
import { pluralize } from "../../components/plural.ts";
import { endpointQuery, queryClient, refresh, useEndpointMutation } from "../../data/queries.ts";

/**
 * Confirms the deletion of a conversation, and of the forms that were submitted in it. `id` is null while it is closed.
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
  const forms = data?.pagination.total ?? 0;
  const call = useEndpointMutation("deleteConversation", { done: "Conversation deleted" });
  const close = () => {
    setWithForms(false);
    onClose();
  };
  const confirm = async () => {
    if (id === null) return;
    await call.mutateAsync({ id, ...(isWithForms ? { submissions: true } : {}) });
    onDeleted(id);
    close();
    queryClient.removeQueries({ queryKey: ["getConversation", { id }] });
    if (isWithForms) await refresh("listSubmissions");
  };
  return (
    <ConfirmDialog
      title="Delete this conversation?"
      action={isWithForms ? "Delete conversation and forms" : "Delete conversation"}
      isOpen={id !== null}
      isBusy={call.isPending}
      onClose={close}
      // The mutation shows errors as a toast.
      onConfirm={() => confirm().catch(() => {})}
    >
      <p>This permanently deletes all of its messages.</p>
      {forms > 0 && (
        <Toggle
          label={`Also delete ${pluralize(forms, "form submission")}`}
          help="With its files and delivery history. Otherwise, what the visitor submitted is kept under Submissions."
          value={isWithForms}
          onChange={setWithForms}
        />
      )}
    </ConfirmDialog>
  );
}
