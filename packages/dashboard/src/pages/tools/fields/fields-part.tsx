import type { FormField } from "@foyer/contract";
import { fieldEditors } from "@foyer/contract/rules/field-editor";
import { labelText } from "@foyer/contract/rules/field-label";
import { formTextLimits } from "@foyer/contract/rules/limits";
import { useRef, useState } from "react";
import { TextField } from "../../../components/field.tsx";
import { Section } from "../../../components/page.tsx";
import { notify } from "../../../data/toasts.ts";
import { type Keyed, rowKey, withKey, withPart } from "../row-key.ts";
import type { PartProps } from "../tool-editor.tsx";
import { toFieldName, uniqueName } from "../tool-name.ts";
import { AddField } from "./add-field.tsx";
import { FieldCard } from "./field-card.tsx";
import { changesForType } from "./field-kinds.ts";
import { FieldList } from "./field-list.tsx";
import { FormPreview } from "./form-preview.tsx";

/** The form builder: the fields in order, the messages, and a preview. */
export function FieldsPart({ agentId, draft }: PartProps) {
  const form = draft.values.formSchema;
  const change = (part: Partial<typeof form>) => draft.change({ formSchema: { ...form, ...part } });
  const fields = useFields(form.fields, (next) =>
    draft.change(({ formSchema }) => ({ formSchema: { ...formSchema, fields: next(formSchema.fields) } })),
  );
  const texts = [
    { name: "submitLabel", label: "Submit button", placeholder: "Submit", maxLength: formTextLimits.submitLabel },
    {
      name: "successMessage",
      label: "Success message",
      placeholder: "Thanks, we've got it.",
      maxLength: formTextLimits.resultMessage,
    },
    {
      name: "errorMessage",
      label: "Error message",
      placeholder: "Something went wrong. Please try again.",
      maxLength: formTextLimits.resultMessage,
    },
  ] as const;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-10 lg:grid-cols-[minmax(0,1fr)_minmax(0,20rem)] xl:grid-cols-[minmax(0,1fr)_minmax(0,24rem)]">
      <div>
        <Section title="Fields">
          <FieldList fields={form.fields} onMove={fields.onMove}>
            {form.fields.map((field, index) => (
              <FieldCard
                key={rowKey(field)}
                {...fields}
                field={field}
                index={index}
                fields={form.fields}
                errorAt={draft.errorAt}
              />
            ))}
          </FieldList>
          <div>
            <AddField onAdd={fields.add} />
          </div>
        </Section>
        <Section
          title="Messages"
          description="The button, and what visitors see after they submit the form. Defaults appear in the visitor's language."
        >
          {texts.map(({ name, ...field }) => (
            <TextField
              key={name}
              {...field}
              value={form[name]}
              onChange={(text) => change({ [name]: text })}
              error={draft.errorAt(`formSchema.${name}`)}
              autoComplete="off"
            />
          ))}
        </Section>
      </div>
      <div className="top-6 max-lg:border-t max-lg:border-line max-lg:pt-6 lg:sticky">
        <Section title="Preview" description="What visitors see in the chat. Nothing is submitted.">
          <FormPreview agentId={agentId} draft={draft.values} />
        </Section>
      </div>
    </div>
  );
}

/** The actions on fields. Removing a field can be undone even after other changes. */
function useFields(
  fields: Keyed<FormField>[],
  set: (next: (fields: Keyed<FormField>[]) => Keyed<FormField>[]) => void,
) {
  const [openKeys, setOpenKeys] = useState<ReadonlySet<number>>(new Set());
  const latest = useRef({ fields });
  latest.current = { fields };
  const insert = (field: Keyed<FormField>, index: number) => {
    set((fields) => fields.toSpliced(index, 0, field));
    setOpenKeys(new Set([rowKey(field)]));
  };
  const names = () => latest.current.fields.map(({ name }) => name);
  return {
    openKeys,
    onOpen(key: number, isOpen: boolean) {
      if (openKeys.has(key) === isOpen) return;
      setOpenKeys(new Set(isOpen ? [...openKeys, key] : [...openKeys].filter((other) => other !== key)));
    },
    add(type: FormField["type"]) {
      const label = fieldEditors[type].name;
      const plain: FormField = { name: uniqueName(toFieldName(label), names()), label, type: "text" };
      insert(withKey(withPart(plain, changesForType(plain, type))), latest.current.fields.length);
    },
    onMove(from: number, to: number) {
      set((fields) => {
        const [moved] = fields.slice(from, from + 1);
        return moved ? fields.toSpliced(from, 1).toSpliced(to, 0, moved) : fields;
      });
    },
    onChange: (field: Keyed<FormField>, index: number) => set((fields) => fields.with(index, field)),
    onDuplicate(index: number) {
      const field = latest.current.fields[index];
      if (field) insert(withKey({ ...field, name: uniqueName(field.name, names()) }), index + 1);
    },
    onRemove(index: number) {
      const field = latest.current.fields[index];
      if (!field) return;
      set((fields) => fields.toSpliced(index, 1));
      const undo = () => set((fields) => fields.toSpliced(index, 0, field));
      notify(`Field “${labelText(field)}” removed`, { undo });
    },
  };
}
