import type { Member } from "@foyer/contract";
import { TextArea, TextField } from "../../../components/field.tsx";
import { HeaderRows } from "../request/header-rows.tsx";
import type { Keyed } from "../row-key.ts";
import type { ActionDraft } from "../tool-draft.ts";
import { Recipients } from "./recipients.tsx";
import { TemplateNames } from "./template-names.tsx";

/** Who can be mailed: `members` is `null` until they are known, `sendsMail` whether the server sends mails at all. */
export type MailFacts = { members: readonly Member[] | null; sendsMail: boolean };

/** What an action needs, by its type. `errorAt` gets a path within the action, with a dot before it. */
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
        <Recipients
          {...mail}
          chosen={action.recipientIds}
          onChange={(recipientIds) => set({ recipientIds })}
          error={errorAt(".recipientIds")}
        />
        <TextField
          label="Subject"
          isOptional
          value={action.subject}
          onChange={(subject) => set({ subject })}
          error={errorAt(".subject")}
          placeholder="New submission of {{_toolName}}"
          {...{ maxLength: 500, autoComplete: "off" }}
        />
        <TemplateNames names={names} onChoose={(name) => set({ subject: `${action.subject}{{${name}}}` })} />
      </>
    );
  }
  const address = (
    <TextField
      label={action.type === "team_chat" ? "Incoming webhook of the chat" : "URL"}
      type="url"
      value={action.url}
      onChange={(url) => set({ url })}
      error={errorAt(".url") ?? errorAt(".webhookUrl")}
      placeholder={
        action.type === "team_chat" ? "https://hooks.slack.com/services/…" : "https://example.com/hooks/lead"
      }
      {...{ maxLength: 2_000, autoComplete: "off", spellCheck: false, className: "font-mono" }}
    />
  );
  if (action.type === "team_chat") {
    return (
      <>
        {address}
        <TextArea
          label="Message"
          value={action.message}
          onChange={(message) => set({ message })}
          error={errorAt(".messageTemplate") ?? errorAt(".message")}
          maxLength={10_000}
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
        help="JSON of your own. Without it, the same is sent as to the form’s webhook."
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
