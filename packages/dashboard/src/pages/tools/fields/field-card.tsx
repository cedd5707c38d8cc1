import { useSortable } from "@dnd-kit/sortable";
import type { FormField } from "@foyer/contract";
import { fieldEditors } from "@foyer/contract/rules/field-editor";
import { labelText } from "@foyer/contract/rules/field-label";
import { ChevronDown, GripVertical, MoreHorizontal } from "lucide-react";
import { IconButton } from "../../../components/button.tsx";
import { Menu } from "../../../components/menu.tsx";
import { type Keyed, rowKey } from "../row-key.ts";
import { FieldForm } from "./field-form.tsx";
import { FieldIcon } from "./field-icon.tsx";

type CardProps = {
  field: Keyed<FormField>;
  index: number;
  fields: Keyed<FormField>[];
  openKeys: ReadonlySet<number>;
  onOpen: (key: number, isOpen: boolean) => void;
  onMove: (from: number, to: number) => void;
  onChange: (field: Keyed<FormField>, index: number) => void;
  onDuplicate: (index: number) => void;
  onRemove: (index: number) => void;
  errorAt: (path: string) => string | undefined;
};

/** A field in the list. Collapsed it is one line, expanded it shows all settings. A field with errors is expanded. */
export function FieldCard(props: CardProps) {
  const { field, index, openKeys, onOpen, errorAt } = props;
  const key = rowKey(field);
  const { setNodeRef, setActivatorNodeRef, attributes, listeners, transform, transition, isDragging } = useSortable({
    id: key,
  });
  const name = labelText(field) || "Field without a label";
  const isOpen = openKeys.has(key) || errorAt(`formSchema.fields.${index}`) !== undefined;
  return (
    <li
      ref={setNodeRef}
      style={{ transform: transform ? `translate3d(0, ${transform.y}px, 0)` : undefined, transition }}
      className={`relative rounded-lg border bg-raised ${isDragging ? "z-10 border-ink" : "border-line"}`}
    >
      <div className="flex items-center">
        <button
          type="button"
          ref={setActivatorNodeRef}
          {...attributes}
          {...listeners}
          aria-roledescription="sortable"
          aria-label={`Move ${name}`}
          className="inline-flex h-11 w-9 shrink-0 cursor-grab touch-none items-center justify-center rounded-lg text-edge hover:text-ink"
        >
          <GripVertical size={16} aria-hidden />
        </button>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => onOpen(key, !isOpen)}
          className="flex h-11 min-w-0 flex-1 items-center gap-2 rounded-lg text-start"
        >
          <FieldIcon type={field.type} />
          <span className="truncate font-medium">{name}</span>
          <span className="truncate text-soft">
            {fieldEditors[field.type].name}
            {field.validation?.required?.value ? ", required" : ""}
          </span>
          <ChevronDown
            size={16}
            aria-hidden
            className={`ms-auto shrink-0 text-soft transition-transform ${isOpen ? "rotate-180" : ""}`}
          />
        </button>
        <FieldMenu {...props} name={name} />
      </div>
      {isOpen && (
        // A field that was expanded by an error stays expanded while the user fixes it.
        // biome-ignore lint/a11y/noStaticElementInteractions: handles events that bubble up from its fields
        <div className="border-t border-line p-4" onFocus={() => onOpen(key, true)}>
          <FieldForm
            field={field}
            otherNames={props.fields.filter((other) => other !== field).map((other) => other.name)}
            onChange={(next) => props.onChange(next, index)}
            errorAt={(path) => errorAt(`formSchema.fields.${index}.${path}`)}
          />
        </div>
      )}
    </li>
  );
}

function FieldMenu({
  fields,
  index,
  name,
  onMove,
  onDuplicate,
  onRemove,
}: Pick<CardProps, "fields" | "index" | "onMove" | "onDuplicate" | "onRemove"> & { name: string }) {
  return (
    <Menu
      trigger={
        <IconButton label={`Actions for ${name}`} className="mx-1">
          <MoreHorizontal size={16} aria-hidden />
        </IconButton>
      }
      items={[
        { label: "Move up", disabled: index === 0, onSelect: () => onMove(index, index - 1) },
        { label: "Move down", disabled: index === fields.length - 1, onSelect: () => onMove(index, index + 1) },
        { label: "Duplicate", onSelect: () => onDuplicate(index) },
        null,
        { label: `Remove ${name}`, isDanger: true, onSelect: () => onRemove(index) },
      ]}
    />
  );
}
