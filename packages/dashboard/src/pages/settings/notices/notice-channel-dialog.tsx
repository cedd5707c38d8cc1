import type { NoticeChannel, NoticeChannelKind } from "@foyer/contract";
import { chatFormats } from "@foyer/contract/rules/chat-formats";
import { type ChatPlatform, chatPlatformNames, chatPlatforms } from "@foyer/contract/rules/chat-platforms";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { ChatFormatSelect } from "../../../components/chat-format-select.tsx";
import { Select, TextField, Toggle } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { api } from "../../../data/api.ts";
import { refresh } from "../../../data/queries.ts";
import { notify } from "../../../data/toasts.ts";

const channelOptions: ReadonlyArray<{ value: NoticeChannelKind; label: string }> = [
  { value: "webhook", label: "Incoming webhook" },
  ...chatPlatformNames.map((value) => ({ value, label: `${chatPlatforms[value].label} bot` })),
];

/** Creates or edits a channel. Tokens are never shown again, so an empty field keeps the stored token. */
export function NoticeChannelDialog({ channel, onClose }: { channel: NoticeChannel | null; onClose: () => void }) {
  const initial = {
    kind: channel?.kind ?? ("webhook" as NoticeChannelKind),
    name: channel?.name ?? "",
    url: channel?.url ?? "",
    format: channel?.format ?? null,
    chatId: channel?.teamChat?.chatId ?? "",
    botToken: "",
    appToken: "",
    isEnabled: channel?.isEnabled ?? true,
  };
  const form = useDialogForm(initial, async ({ kind, name, isEnabled, ...settings }) => {
    const { url, format, chatId, botToken, appToken } = settings;
    const ofKind =
      kind === "webhook"
        ? { url, format }
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
        <>
          <ChatFormatSelect value={values.format} onChange={(format) => change({ format })} error={errorAt("format")} />
          <TextField
            label="Webhook URL"
            type="url"
            autoComplete="off"
            spellCheck={false}
            placeholder={chatFormats[values.format ?? "slack"].example}
            help="The incoming webhook that your team chat creates for a channel."
            value={values.url}
            onChange={(url) => change({ url })}
            error={errorAt("url")}
          />
        </>
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
  if (values.kind === "webhook") return null;
  const { fields }: ChatPlatform = chatPlatforms[values.kind];
  const kept = isNew ? "" : " Leave it empty to keep the current one.";
  return (["botToken", "appToken", "chatId"] as const).map((name) => {
    const field = fields[name];
    const isSecret = name !== "chatId";
    return (
      field && (
        <TextField
          key={name}
          label={field.label}
          type={isSecret ? "password" : "text"}
          autoComplete="off"
          spellCheck={false}
          placeholder={field.example}
          help={`${field.help}${isSecret ? kept : ""}`}
          value={values[name]}
          onChange={(value) => change({ [name]: value })}
          error={errorAt(name)}
        />
      )
    );
  });
}
