import type { FormField } from "@foyer/contract";
import { fieldEditors } from "@foyer/contract/rules/field-editor";
import { Braces } from "lucide-react";
import { IconButton } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { Menu } from "../../../components/menu.tsx";

const templates = [
  { template: "{{user.email}}", hint: "The visitor’s email address, if the page provides it" },
  { template: "{{user.name}}", hint: "The visitor’s name, if the page provides it" },
  { template: "{{user.userId}}", hint: "Your own id for the visitor" },
  { template: "{{user.metadata.plan}}", hint: "Any other property that the page provides, by its name" },
  { template: "{{context.previousResult.price}}", hint: "A field of the last tool result in this chat" },
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
          maxLength={5_000}
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
