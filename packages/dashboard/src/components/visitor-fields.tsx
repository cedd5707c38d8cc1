import { maxIdentityLength } from "@foyer/contract/rules/limits";
import type { VisitorDraft } from "./acting-visitor.ts";
import { TextArea, TextField } from "./field.tsx";

/** The fields of a verified visitor's token. */
export function VisitorFields({
  values,
  onChange,
  errorAt,
}: {
  values: VisitorDraft;
  onChange: (part: Partial<VisitorDraft>) => void;
  errorAt: (path: string) => string | undefined;
}) {
  return (
    <>
      <TextField
        label="Visitor ID"
        help="The user's id on your site."
        value={values.id}
        onChange={(id) => onChange({ id })}
        error={errorAt("id")}
        maxLength={maxIdentityLength}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
      />
      <TextField
        label="Visitor email"
        isOptional
        value={values.email}
        onChange={(email) => onChange({ email })}
        error={errorAt("email")}
        maxLength={maxIdentityLength}
        inputMode="email"
        autoComplete="off"
      />
      <TextField
        label="Visitor name"
        isOptional
        value={values.name}
        onChange={(name) => onChange({ name })}
        error={errorAt("name")}
        maxLength={maxIdentityLength}
        autoComplete="off"
      />
      <TextArea
        label="Claims"
        isOptional
        help="A JSON object."
        value={values.claims}
        onChange={(claims) => onChange({ claims })}
        error={errorAt("claims")}
        placeholder={'{ "plan": "pro" }'}
        spellCheck={false}
        className="font-mono"
      />
    </>
  );
}
