import type { Output } from "@foyer/sdk";
import { TextArea, TextField } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { refresh } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import { ActionsFields } from "./actions-fields.tsx";

/** Creates a canned reply, or edits one. */
export function CannedReplyDialog({
  reply,
  onClose,
}: {
  reply: Output<"listCannedReplies">[number] | null;
  onClose: () => void;
}) {
  const initial = { name: reply?.name ?? "", text: reply?.text ?? "", actions: reply?.actions ?? null };
  const form = useDialogForm(initial, async (body) => {
    if (reply) await api.updateCannedReply({ id: reply.id, body });
    else await api.createCannedReply({ body });
    await refresh("listCannedReplies");
    notify(reply ? "Canned reply saved" : "Canned reply created");
    onClose();
  });
  const { values, change, errorAt } = form;
  return (
    <FormDialog
      title={reply ? "Edit canned reply" : "Create canned reply"}
      action={reply ? "Save" : "Create canned reply"}
      form={form}
      onClose={onClose}
    >
      <TextField
        label="Name"
        help="Your team searches by this name."
        autoComplete="off"
        placeholder="Refund"
        value={values.name}
        onChange={(name) => change({ name })}
        error={errorAt("name")}
      />
      <TextArea
        label="Text"
        help={
          <>
            Markdown. <code>{"{{visitor.name}}"}</code>, <code>{"{{visitor.email}}"}</code>,{" "}
            <code>{"{{member.name}}"}</code> and <code>{"{{agent.name}}"}</code> are filled in when you insert it, and
            left out if they are unknown.
          </>
        }
        rows={6}
        placeholder="Hello {{visitor.name}}, a refund takes three working days."
        value={values.text}
        onChange={(text) => change({ text })}
        error={errorAt("text")}
      />
      <ActionsFields actions={values.actions} onChange={(actions) => change({ actions })} errorAt={errorAt} />
    </FormDialog>
  );
}
