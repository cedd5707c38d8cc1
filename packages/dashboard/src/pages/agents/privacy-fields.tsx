import { TextArea, TextField, Toggle } from "../../components/field.tsx";
import type { AppearanceFieldsProps } from "./launcher-fields.tsx";

/** The notices that visitors see before their first message, and the text that requires their consent. */
export function PrivacyFields({ values, onChange, errorAt }: AppearanceFieldsProps) {
  return (
    <>
      <Toggle
        label="Disclose the AI"
        help="Shown below the name and the message field. Many countries require it."
        value={values.showAiNotice}
        onChange={(showAiNotice) => onChange({ showAiNotice })}
      />
      {values.showAiNotice && (
        <TextArea
          label="AI notice"
          isOptional
          placeholder="AI can make mistakes"
          help="Without a text of your own, the notice is in the language of the interface. More than 60 characters are shown above the conversation."
          value={values.aiNotice}
          onChange={(aiNotice) => onChange({ aiNotice })}
          error={errorAt("aiNotice")}
        />
      )}
      <TextField
        label="Privacy policy"
        isOptional
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://shop.example/privacy"
        help="The chat links to this page."
        value={values.privacyPolicyUrl}
        onChange={(privacyPolicyUrl) => onChange({ privacyPolicyUrl })}
        error={errorAt("privacyPolicyUrl")}
      />
      <TextArea
        label="Consent"
        isOptional
        placeholder="I agree that my messages are stored and answered by an AI."
        help="With a text, visitors have to agree to it before their first message. The agreement is stored with the conversation. Supports Markdown."
        value={values.consentText}
        onChange={(consentText) => onChange({ consentText })}
        error={errorAt("consentText")}
      />
    </>
  );
}
