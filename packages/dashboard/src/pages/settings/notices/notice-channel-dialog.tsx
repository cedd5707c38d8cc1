import type { NoticeChannel } from "@foyer/contract";
import { TextField, Toggle } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { notify } from "../../../components/toasts.ts";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { refresh } from "../../../data/queries.ts";

/** Creates a channel, or changes one. */
export function NoticeChannelDialog({ channel, onClose }: { channel: NoticeChannel | null; onClose: () => void }) {
  const initial = { name: channel?.name ?? "", url: channel?.url ?? "", isEnabled: channel?.isEnabled ?? true };
  const form = useDialogForm(initial, async (body) => {
    if (channel) await api.updateNoticeChannel({ id: channel.id, body });
    else await api.createNoticeChannel({ body: { kind: "webhook", ...body } });
    await refresh("listNoticeChannels");
    notify(channel ? "Channel saved" : "Channel created");
    onClose();
  });
  const { values, change, errorAt } = form;
  return (
    <FormDialog
      title={channel ? `Edit ${channel.name}` : "Create channel"}
      action={channel ? "Save" : "Create channel"}
      form={form}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoComplete="off"
        placeholder="#support"
        help="How your team knows the channel."
        value={values.name}
        onChange={(name) => change({ name })}
        error={errorAt("name")}
      />
      <TextField
        label="Webhook URL"
        type="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://hooks.slack.com/services/…"
        help="The incoming webhook that your team chat creates for a channel."
        value={values.url}
        onChange={(url) => change({ url })}
        error={errorAt("url")}
      />
      <Toggle
        label="Enabled"
        help="While it is off, nothing is sent to the channel."
        value={values.isEnabled}
        onChange={(isEnabled) => change({ isEnabled })}
      />
    </FormDialog>
  );
}
