import { chatFormats } from "@foyer/contract/rules/chat-formats";
import { formDeliveryLimits } from "@foyer/contract/rules/limits";
import { ChatFormatSelect } from "../../../components/chat-format-select.tsx";
import { TextArea, TextField } from "../../../components/field.tsx";
import { HeaderRows } from "../request/header-rows.tsx";
import type { Keyed } from "../row-key.ts";
import type { ActionDraft } from "../tool-draft.ts";
import { type MailFacts, Recipients } from "./recipients.tsx";
import { TemplateNames } from "./template-names.tsx";

/** The fields of an action, by its type. `errorAt` takes a path within the action that starts with a dot. */
export function ActionFields({
  action,
  fieldNames,
  mail,
  onChange,
  errorAt,
}: {
  action: Keyed<ActionDraft>;
  fieldNames: string[];
  mail: MailFacts;
  onChange: (action: Keyed<ActionDraft>) => void;
  errorAt: (path: string) => string | undefined;
}) {
  const set = (part: Partial<ActionDraft>) => onChange({ ...action, ...part });
  const names = [...fieldNames, "_toolName"];
  if (action.type === "email") {
    return (
      <>
        <Recipients {...mail} chosen={action} onChange={set} error={errorAt(".recipientIds") ?? errorAt(".to")} />
        <TextField
          label="Subject"
          isOptional
          value={action.subject}
          onChange={(subject) => set({ subject })}
          error={errorAt(".subject")}
          placeholder="New submission of {{_toolName}}"
          maxLength={formDeliveryLimits.subject}
          autoComplete="off"
        />
        <TemplateNames names={names} onChoose={(name) => set({ subject: `${action.subject}{{${name}}}` })} />
      </>
    );
  }
  const address = (
    <TextField
      label={action.type === "team_chat" ? "Incoming webhook URL" : "URL"}
      type="url"
      value={action.url}
      onChange={(url) => set({ url })}
      error={errorAt(".url") ?? errorAt(".webhookUrl")}
      placeholder={
        action.type === "team_chat" ? chatFormats[action.format ?? "slack"].example : "https://example.com/hooks/lead"
      }
      maxLength={formDeliveryLimits.url}
      autoComplete="off"
      spellCheck={false}
      className="font-mono"
    />
  );
  if (action.type === "team_chat") {
    return (
      <>
        <ChatFormatSelect value={action.format} onChange={(format) => set({ format })} error={errorAt(".format")} />
        {address}
        <TextArea
          label="Message"
          value={action.message}
          onChange={(message) => set({ message })}
          error={errorAt(".messageTemplate") ?? errorAt(".message")}
          maxLength={formDeliveryLimits.message}
        />
        <TemplateNames names={names} onChoose={(name) => set({ message: `${action.message}{{${name}}}` })} />
      </>
    );
  }
  return (
    <>
      {address}
      <TextArea
        label="Payload"
        isOptional
        value={action.payload}
        onChange={(payload) => set({ payload })}
        error={errorAt(".payload")}
        help="A custom JSON body. If empty, the action sends the same body as the form's webhook."
        placeholder={'{ "lead": "{{email}}" }'}
        className="font-mono"
        spellCheck={false}
      />
      <TemplateNames names={names} onChoose={(name) => set({ payload: `${action.payload}{{${name}}}` })} />
      <div className="grid gap-2">
        <p className="font-medium">Headers</p>
        <HeaderRows
          rows={action.headers}
          onChange={(headers) => set({ headers })}
          errorAt={(name) => errorAt(`.headers.${name}`)}
        />
      </div>
    </>
  );
}
