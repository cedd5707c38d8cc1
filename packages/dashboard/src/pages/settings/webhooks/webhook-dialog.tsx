import type { Webhook } from "@foyer/contract";
import { maxIdleMinutes } from "@foyer/contract/rules/limits";
import { useSuspenseQuery } from "@tanstack/react-query";
import { NumberField, Select, TextField, Toggle } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { endpointQuery, refresh } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";
import { AgentsField, EventsField } from "./event-fields.tsx";
import { toBody, toChanges, toDraft } from "./webhook-draft.ts";

const payloads = [
  { value: "full", label: "Everything" },
  { value: "ids", label: "IDs only" },
] as const;

/** Creates or edits a webhook. `onSaved` is called before the dialog closes. */
export function WebhookDialog({
  webhook,
  onSaved,
  onClose,
}: {
  webhook: Webhook | null;
  onSaved?: (saved: Webhook) => void;
  onClose: () => void;
}) {
  const { data: agents } = useSuspenseQuery(endpointQuery("listAgents"));
  const form = useDialogForm(toDraft(webhook, agents), async (values) => {
    const saved = webhook
      ? await api.updateWebhook({ id: webhook.id, body: toChanges(values, webhook) })
      : await api.createWebhook({ body: toBody(values) });
    await refresh("listWebhooks", "getWebhook");
    notify(webhook ? "Webhook saved" : "Webhook created");
    onSaved?.(saved);
    onClose();
  });
  const { values, change, errorAt } = form;
  const isIdleSent = values.events.some((type) => type === "*" || type === "conversation.idle");
  return (
    <FormDialog
      title={webhook ? "Edit webhook" : "Create webhook"}
      action={webhook ? "Save" : "Create webhook"}
      isSide
      form={form}
      onClose={onClose}
    >
      <TextField
        label="URL"
        type="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/hooks/foyer"
        help="Foyer posts each event to it as JSON and expects a 2xx status within 30 seconds."
        value={values.url}
        onChange={(url) => change({ url })}
        error={errorAt("url")}
      />
      <TextField
        label="Description"
        isOptional
        autoComplete="off"
        help="What it is for. Shown instead of the host."
        value={values.description}
        onChange={(description) => change({ description })}
        error={errorAt("description")}
      />
      <EventsField values={values} change={change} errorAt={errorAt} />
      {isIdleSent && (
        <NumberField
          label="Idle after (minutes)"
          help="How long a conversation must be without a new message for conversation.idle."
          min={1}
          max={maxIdleMinutes}
          step={1}
          inputMode="numeric"
          className="max-w-40"
          value={values.idleMinutes}
          onChange={(idleMinutes) => change({ idleMinutes })}
          error={errorAt("idleMinutes")}
        />
      )}
      <AgentsField values={values} change={change} errorAt={errorAt} agents={agents} />
      <Select
        label="Content"
        help="“IDs only” leaves out texts, tool calls, form values, names and email addresses."
        options={payloads}
        value={values.payload}
        onChange={(payload) => change({ payload })}
      />
      <Toggle
        label="Enabled"
        help="Events that happen while it's off are never sent."
        value={values.isEnabled}
        onChange={(isEnabled) => change({ isEnabled })}
      />
    </FormDialog>
  );
}
