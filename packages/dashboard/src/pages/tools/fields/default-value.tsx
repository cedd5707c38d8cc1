import type { FormField } from "@foyer/contract";
import { Braces } from "lucide-react";
import { IconButton } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { Menu } from "../../../components/menu.tsx";
import { hasOptions } from "./field-kinds.ts";

const templates = [
  { template: "{{user.email}}", hint: "The visitor’s e-mail address, when the page told it" },
  { template: "{{user.name}}", hint: "The visitor’s name, when the page told it" },
  { template: "{{user.userId}}", hint: "Your own id of the visitor" },
  { template: "{{user.metadata.plan}}", hint: "Anything else that the page told of the visitor, by its name" },
  { template: "{{context.previousResult.price}}", hint: "A field of the last tool’s result in this chat" },
];

/** What stands in a field from the start: a value, or what is known of the visitor. */
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
          help={helpFor(field.type)}
          maxLength={5_000}
          autoComplete="off"
        />
      </div>
      <div className="mt-6">
        <Menu
          trigger={
            <IconButton label="Fill in what is known of the visitor">
              <Braces size={16} aria-hidden />
            </IconButton>
          }
          items={templates.map(({ template, hint }) => ({
            label: template,
            hint,
            // Only a text can have something beside it.
            onSelect: () => onChange(field.type === "text" || field.type === "textarea" ? value + template : template),
          }))}
        />
      </div>
    </div>
  );
}

function helpFor(type: FormField["type"]): string {
  if (type === "date") return "A date such as 2026-01-31, or {{user.…}}.";
  if (type === "datetime") return "Such as 2026-01-31T09:30, or {{user.…}}.";
  if (hasOptions(type))
    return type === "select" ? "The value of an option." : "Values of options, with commas between them.";
  return "Saves visitors writing: {{user.email}} is filled in when the page told who the visitor is.";
}
