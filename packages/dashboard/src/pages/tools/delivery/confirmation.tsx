import { formDeliveryLimits } from "@foyer/contract/rules/limits";
import { Select, TextArea, TextField, Toggle } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import type { ToolDrafting } from "../tool-editor.tsx";
import { NoMailServer } from "./recipients.tsx";
import { TemplateNames } from "./template-names.tsx";

/** The email that the visitor gets after submitting the form. */
export function Confirmation({ draft, sendsMail }: { draft: ToolDrafting; sendsMail: boolean }) {
  const { values, change, errorAt } = draft;
  const { formConfirmation: confirmation, formSchema } = values;
  const emailFields = formSchema.fields.filter(({ type }) => type === "email");
  const names = [...formSchema.fields.map(({ name }) => name), "_toolName"];
  const set = (part: Partial<NonNullable<typeof confirmation>>) =>
    change(({ formConfirmation }) => ({ formConfirmation: formConfirmation && { ...formConfirmation, ...part } }));
  const turn = (isOn: boolean) =>
    change({
      formConfirmation: isOn
        ? {
            emailField: emailFields[0]?.name ?? "",
            subject: "We received your message",
            message: "Thank you for your message. We will get back to you soon.",
          }
        : null,
    });
  return (
    <Section title="Confirmation" description="Let visitors know by email that you received their submission.">
      {emailFields.length === 0 && !confirmation ? (
        <p className="text-soft">Add an email field to the form to send a confirmation.</p>
      ) : (
        <Toggle label="Send a confirmation email" value={confirmation !== null} onChange={turn} />
      )}
      {confirmation && (
        <>
          <Select
            label="Recipient field"
            value={confirmation.emailField}
            onChange={(emailField) => set({ emailField })}
            error={errorAt("formConfirmation.emailField")}
            options={fieldOptions(emailFields, confirmation.emailField)}
          />
          <TextField
            label="Subject"
            value={confirmation.subject}
            onChange={(subject) => set({ subject })}
            error={errorAt("formConfirmation.subject")}
            maxLength={formDeliveryLimits.subject}
            autoComplete="off"
          />
          <TextArea
            label="Message"
            value={confirmation.message}
            onChange={(message) => set({ message })}
            error={errorAt("formConfirmation.message")}
            maxLength={formDeliveryLimits.message}
          />
          <TemplateNames names={names} onChoose={(name) => set({ message: `${confirmation.message}{{${name}}}` })} />
          {!sendsMail && <NoMailServer />}
        </>
      )}
    </Section>
  );
}

/** The form's email fields, and the chosen one if the form no longer has it. */
function fieldOptions(fields: ReadonlyArray<{ name: string; label: string }>, chosen: string) {
  const options = fields.map(({ name, label }) => ({ value: name, label: label.trim() || name }));
  if (fields.some(({ name }) => name === chosen)) return options;
  return [{ value: chosen, label: chosen === "" ? "Choose a field" : `${chosen} (not an email field)` }, ...options];
}
