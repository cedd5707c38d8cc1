import type { NoticeChannel, NoticeChannelKind } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/defined";
import { Select, TextField, Toggle } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { refresh } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";

const channelOptions: ReadonlyArray<{ value: NoticeChannelKind; label: string }> = [
  { value: "webhook", label: "Incoming webhook" },
  { value: "telegram", label: "Telegram bot" },
  { value: "slack", label: "Slack bot" },
];

/** Creates or edits a channel. Tokens are never shown again, so an empty field keeps the stored token. */
export function NoticeChannelDialog({ channel, onClose }: { channel: NoticeChannel | null; onClose: () => void }) {
  const initial = {
    kind: channel?.kind ?? ("webhook" as NoticeChannelKind),
    name: channel?.name ?? "",
    url: channel?.url ?? "",
    chatId: channel?.teamChat?.chatId ?? "",
    botToken: "",
    appToken: "",
    isEnabled: channel?.isEnabled ?? true,
  };
  const form = useDialogForm(initial, async ({ kind, name, isEnabled, ...settings }) => {
    const { url, chatId, botToken, appToken } = settings;
    const ofKind =
      kind === "webhook"
        ? { url }
        : { chatId, ...omitUndefined({ botToken: botToken || undefined, appToken: appToken || undefined }) };
    if (channel) await api.updateNoticeChannel({ id: channel.id, body: { name, isEnabled, ...ofKind } });
    else await api.createNoticeChannel({ body: { kind, name, isEnabled, ...ofKind } });
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
      {!channel && (
        <Select
          label="Kind"
          help={values.kind === "webhook" ? undefined : "Members can answer visitors from the chat."}
          options={channelOptions}
          value={values.kind}
          onChange={(kind) => change({ kind })}
        />
      )}
      <TextField
        label="Name"
        autoComplete="off"
        placeholder="#support"
        help="For your team, such as #support."
        value={values.name}
        onChange={(name) => change({ name })}
        error={errorAt("name")}
      />
      {values.kind === "webhook" ? (
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
      ) : (
        <BotFields form={form} isNew={!channel} />
      )}
      <Toggle
        label="Enabled"
        help="While it is off, nothing is sent to the channel."
        value={values.isEnabled}
        onChange={(isEnabled) => change({ isEnabled })}
      />
    </FormDialog>
  );
}

type BotValues = { kind: NoticeChannelKind; chatId: string; botToken: string; appToken: string };
type BotForm = {
  values: BotValues;
  change: (changes: Partial<BotValues>) => void;
  errorAt: (path: string) => string | undefined;
};

/** The settings of a bot. The guide under /docs/handoff describes where to find them. */
function BotFields({ form: { values, change, errorAt }, isNew }: { form: BotForm; isNew: boolean }) {
  const isTelegram = values.kind === "telegram";
  const kept = isNew ? "" : " Leave it empty to keep the current one.";
  return (
    <>
      <TextField
        label="Bot token"
        type="password"
        autoComplete="off"
        placeholder={isTelegram ? "123456:ABC-DEF…" : "xoxb-…"}
        help={`${isTelegram ? "From @BotFather in Telegram." : "From “Install App” in the settings of your Slack app."}${kept}`}
        value={values.botToken}
        onChange={(botToken) => change({ botToken })}
        error={errorAt("botToken")}
      />
      {!isTelegram && (
        <TextField
          label="App-level token"
          type="password"
          autoComplete="off"
          placeholder="xapp-…"
          help={`With the scope connections:write.${kept}`}
          value={values.appToken}
          onChange={(appToken) => change({ appToken })}
          error={errorAt("appToken")}
        />
      )}
      <TextField
        label={isTelegram ? "Chat ID" : "Channel ID"}
        autoComplete="off"
        spellCheck={false}
        placeholder={isTelegram ? "-1001234567890" : "C0123456789"}
        help="The bot ignores every other chat."
        value={values.chatId}
        onChange={(chatId) => change({ chatId })}
        error={errorAt("chatId")}
      />
    </>
  );
}
