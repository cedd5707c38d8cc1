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
import { labelText } from "@foyer/contract/rules/field-label";
import type { ReactNode } from "react";
import { type Keyed, rowKey } from "../row-key.ts";

const instructions = {
  draggable: "Press Space to pick up the field, the arrow keys to move it, Space to drop it, Escape to cancel.",
};

/** The fields of a form in order. They can be moved by dragging, with the keyboard, or from a field's menu. */
export function FieldList({
  fields,
  onMove,
  children,
}: {
  fields: Keyed<FormField>[];
  onMove: (from: number, to: number) => void;
  /** One card per field. */
  children: ReactNode;
}) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const indexOf = (id: UniqueIdentifier | undefined) => fields.findIndex((field) => rowKey(field) === id);
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    const [from, to] = [indexOf(active.id), indexOf(over?.id)];
    if (from !== -1 && to !== -1 && from !== to) onMove(from, to);
  };
  if (fields.length === 0) {
    return (
      <p className="rounded-lg border border-dashed border-edge px-4 py-5 text-soft">
        A form needs at least one field. Most forms start with an email address, so that you can reply.
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
      <SortableContext items={fields.map(rowKey)} strategy={verticalListSortingStrategy}>
        <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">{children}</ol>
      </SortableContext>
    </DndContext>
  );
}

function announce(fields: Keyed<FormField>[]): Announcements {
  const place = (id: UniqueIdentifier | undefined) => fields.findIndex((field) => rowKey(field) === id) + 1;
  const fieldName = (id: UniqueIdentifier) => {
    const field = fields[place(id) - 1];
    return (field && labelText(field)) || "The field";
  };
  // Both events use the same text, because the second one follows immediately.
  const announcePickUp = (id: UniqueIdentifier, over: UniqueIdentifier) =>
    `Picked up ${fieldName(id)}, position ${place(over)} of ${fields.length}.`;
  return {
    onDragStart: ({ active }) => announcePickUp(active.id, active.id),
    onDragOver: ({ active, over }) => announcePickUp(active.id, over?.id ?? active.id),
    onDragEnd: ({ active, over }) =>
      over
        ? `Dropped ${fieldName(active.id)} at position ${place(over.id)} of ${fields.length}.`
        : `Canceled. ${fieldName(active.id)} keeps its position.`,
    onDragCancel: ({ active }) => `Canceled. ${fieldName(active.id)} keeps its position.`,
  };
}
