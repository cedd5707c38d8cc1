import type { FormField } from "@foyer/contract";
import { ChevronDown, Upload } from "lucide-react";
import type { ToolDraft } from "../tool-draft.ts";
import { hasFile } from "./field-kinds.ts";

/** A form as visitors see it in the chat. A picture of it: nothing in it can be used. */
export function FormPreview({ form }: { form: ToolDraft["formSchema"] }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
      tabIndex={0}
      aria-label="Preview of the form"
      className="overflow-y-auto rounded-xl border border-line bg-raised p-4 lg:max-h-[calc(100dvh-14rem)]"
    >
      <div className="grid gap-4 text-lg" inert>
        {form.fields.map((field, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may be the same while they are written
          <div key={index} className="grid gap-1">
            <p className="font-medium">
              {field.label.trim() || field.name}
              {field.validation?.required?.value && " *"}
            </p>
            <Control field={field} />
          </div>
        ))}
        {form.fields.length === 0 && <p className="text-soft">No fields yet.</p>}
        <p className="rounded-lg bg-lamp px-4 py-2.5 text-center font-semibold text-on-lamp">
          {form.submitLabel || "Submit"}
        </p>
      </div>
    </section>
  );
}

const box = "rounded-lg border border-edge px-3 py-2 min-h-11";

function Control({ field }: { field: FormField }) {
  const { type, options = [], disabled } = field;
  const value = shownDefault(field);
  const look = `${box} ${disabled ? "bg-sunken text-soft" : "bg-paper"}`;
  if (hasFile(type)) {
    return (
      <p className={`${box} flex items-center justify-center gap-2 border-dashed py-3 text-soft`}>
        <Upload size={16} aria-hidden /> {type === "image" ? "Choose an image" : "Choose a file"}
      </p>
    );
  }
  if (type === "multiselect") {
    const chosen = value.split(",").map((part) => part.trim());
    return (
      <ul className="grid gap-2 py-1">
        {options.map((option, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: values may be the same while they are written
          <li key={index} className="flex items-center gap-3">
            <span
              className={`size-4 shrink-0 rounded-sm border ${chosen.includes(option.value) ? "border-ink bg-ink" : "border-edge"}`}
            />
            {option.label || option.value}
          </li>
        ))}
      </ul>
    );
  }
  const text = type === "select" ? (options.find((option) => option.value === value)?.label ?? "") : value;
  const empty = field.placeholder || standIns[type] || "";
  return (
    <p className={`${look} flex items-start gap-2 whitespace-pre-wrap ${type === "textarea" ? "min-h-22" : ""}`}>
      <span className={`min-w-0 flex-1 ${text ? "" : "text-soft"}`}>{text || empty}</span>
      {type === "select" && <ChevronDown size={20} aria-hidden className="shrink-0 text-soft" />}
    </p>
  );
}

const standIns: Partial<Record<FormField["type"], string>> = {
  select: "Choose",
  date: "dd/mm/yyyy",
  datetime: "dd/mm/yyyy, --:--",
};

/** Templates stand for what is not known here. */
function shownDefault({ defaultValue = "" }: FormField): string {
  const known: Record<string, string> = { "user.email": "visitor@example.com", "user.name": "Visitor’s name" };
  return defaultValue.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (_, name: string) => known[name] ?? `‹${name}›`);
}
