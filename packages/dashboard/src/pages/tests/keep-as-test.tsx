import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import { useNavigate } from "@tanstack/react-router";
import { TextField } from "../../components/field.tsx";
import { FormDialog } from "../../components/form-dialog.tsx";
import { useDialogForm } from "../../components/use-dialog-form.ts";
import { api } from "../../data/api.ts";
import { refresh } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";

/** Keeps a conversation, or the part of it up to a reply, as a test, and opens the test. */
export function KeepAsTest({
  agentId,
  conversationId,
  messageId = null,
  isRatedBad = false,
  onClose,
}: {
  agentId: string;
  conversationId: string;
  messageId?: string | null;
  /** Whether a visitor rated the reply as bad, which the test must not repeat. */
  isRatedBad?: boolean;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const form = useDialogForm({ name: "" }, async ({ name }) => {
    const body = { conversationId, messageId, name: name.trim() || null };
    const { id } = await api.keepConversationAsTest({ id: agentId, body });
    await refresh("listAgentTests");
    notify("Test created");
    onClose();
    await navigate({ to: "/agents/$agentId/tests/$testId", params: { agentId, testId: id } });
  });
  return (
    <FormDialog
      title="Keep as test"
      description={
        isRatedBad
          ? "The visitor's messages up to this reply become a test. It checks the language only, because the reply was rated bad. Add what the agent should have done."
          : "The visitor's messages become a test, which checks that the agent calls the same tools and keeps the language. You can change it afterwards."
      }
      action="Create test"
      // Why the conversation cannot be kept.
      form={{ ...form, problem: form.problem?.replace(/^conversationId /, "This conversation ") }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        isOptional
        help="Without a name, the test has the title of the conversation."
        maxLength={agentTestLimits.name}
        value={form.values.name}
        onChange={(name) => form.change({ name })}
        error={form.errorAt("name")}
      />
      <p className="text-sm text-soft">The test is deleted with the conversation.</p>
    </FormDialog>
  );
}
