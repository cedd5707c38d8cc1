import type { FormField } from "@foyer/contract";
import { fieldEditors } from "@foyer/contract/rules/field-editor";
import { formTextLimits } from "@foyer/contract/rules/limits";
import { Braces } from "lucide-react";
import { IconButton } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { Menu } from "../../../components/menu.tsx";

const templates = [
  { template: "{{user.email}}", hint: "Email address of the visitor, if the page has identified them" },
  { template: "{{user.name}}", hint: "Name of the visitor, if the page has identified them" },
  { template: "{{user.userId}}", hint: "The visitor's id on your site" },
  { template: "{{user.metadata.plan}}", hint: "Any property of the metadata that the page passes to identify()" },
  { template: "{{context.previousResult.price}}", hint: "A property of the latest tool result in the chat" },
];

/** The initial value of a field: a fixed value, or a template that the widget fills in. */
export function DefaultValue({
  field,
  onChange,
  error,
}: {
  field: FormField;
  onChange: (value: string | undefined) => void;
  error: string | undefined;
}) {
  const value = field.defaultValue ?? "";
  return (
    <div className="flex items-start gap-1">
      <div className="min-w-0 flex-1">
        <TextField
          label="Default value"
          isOptional
          value={value}
          onChange={(text) => onChange(text || undefined)}
          error={error}
          help={fieldEditors[field.type].defaultHelp ?? undefined}
          maxLength={formTextLimits.defaultValue}
          autoComplete="off"
        />
      </div>
      <div className="mt-6">
        <Menu
          trigger={
            <IconButton label="Insert a template">
              <Braces size={16} aria-hidden />
            </IconButton>
          }
          items={templates.map(({ template, hint }) => ({
            label: template,
            hint,
            onSelect: () => onChange(fieldEditors[field.type].mixesTemplates ? value + template : template),
          }))}
        />
      </div>
    </div>
  );
}
