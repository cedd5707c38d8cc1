import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from "@dnd-kit/sortable";
import type { FormField } from "@foyer/contract";
import { type Keyed, keyOf } from "../row-key.ts";
import { FieldCard } from "./field-card.tsx";

export type FieldListProps = {
  fields: Keyed<FormField>[];
  openKey: number | null;
  onOpen: (key: number | null) => void;
  onMove: (from: number, to: number) => void;
  onChange: (field: Keyed<FormField>, index: number) => void;
  onDuplicate: (index: number) => void;
  onRemove: (index: number) => void;
  errorAt: (path: string) => string | undefined;
};

const instructions = {
  draggable: "To move the field, press Space, then the arrow keys; Space again puts it down, Escape puts it back.",
};

/** The fields of a form in their order, which is changed by dragging, by keyboard, or from a field's menu. */
export function FieldList(props: FieldListProps) {
  const { fields, onMove } = props;
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const indexOf = (id: UniqueIdentifier | undefined) => fields.findIndex((field) => keyOf(field) === id);
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    const [from, to] = [indexOf(active.id), indexOf(over?.id)];
    if (from !== -1 && to !== -1 && from !== to) onMove(from, to);
  };
  if (fields.length === 0) {
    return (
      <p className="rounded-lg border border-dashed border-edge px-4 py-5 text-soft">
        A form needs at least one field. Most begin with an e-mail address, so that you can answer.
      </p>
    );
  }
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={onDragEnd}
      accessibility={{ announcements: announce(fields), screenReaderInstructions: instructions }}
    >
      <SortableContext items={fields.map(keyOf)} strategy={verticalListSortingStrategy}>
        <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
          {fields.map((field, index) => (
            <FieldCard key={keyOf(field)} {...props} field={field} index={index} />
          ))}
        </ol>
      </SortableContext>
    </DndContext>
  );
}

function announce(fields: Keyed<FormField>[]): Announcements {
  const place = (id: UniqueIdentifier | undefined) => fields.findIndex((field) => keyOf(field) === id) + 1;
  const nameOf = (id: UniqueIdentifier) => fields[place(id) - 1]?.label || "The field";
  return {
    onDragStart: ({ active }) => `${nameOf(active.id)} is picked up. It is ${place(active.id)} of ${fields.length}.`,
    onDragOver: ({ active, over }) =>
      over ? `${nameOf(active.id)} would be ${place(over.id)} of ${fields.length}.` : undefined,
    onDragEnd: ({ active, over }) =>
      over ? `${nameOf(active.id)} is now ${place(over.id)} of ${fields.length}.` : `${nameOf(active.id)} is put back.`,
    onDragCancel: ({ active }) => `${nameOf(active.id)} is put back.`,
  };
}
