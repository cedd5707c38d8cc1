import {
  type Announcements,
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import {
  arrayMove,
  SortableContext,
  sortableKeyboardCoordinates,
  verticalListSortingStrategy,
} from "@dnd-kit/sortable";
import type { ReactNode } from "react";
import type { Trigger } from "./trigger-labels.ts";

/** Reorders the triggers by dragging, or with Space and the arrow keys. */
export function SortableTriggers({
  triggers,
  onReorder,
  children,
}: {
  triggers: readonly Trigger[];
  onReorder: (wanted: Trigger[]) => void;
  children: ReactNode;
}) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const end = ({ active, over }: DragEndEvent) => {
    const [from, to] = [active.id, over?.id].map((id) => triggers.findIndex((trigger) => trigger.id === id));
    if (from === undefined || to === undefined || to === -1 || from === to) return;
    onReorder(arrayMove([...triggers], from, to));
  };
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      onDragEnd={end}
      accessibility={{
        announcements: createAnnouncements(triggers),
        screenReaderInstructions: { draggable: instructions },
      }}
    >
      <SortableContext items={triggers.map(({ id }) => id)} strategy={verticalListSortingStrategy}>
        {children}
      </SortableContext>
    </DndContext>
  );
}

const instructions =
  "Press Space to pick up the trigger, the arrow keys to move it, Space to drop it, Escape to cancel.";

function createAnnouncements(triggers: readonly Trigger[]): Announcements {
  const name = (id: string | number) => triggers.find((trigger) => trigger.id === id)?.name ?? "The trigger";
  const place = (id: string | number) => `position ${triggers.findIndex((trigger) => trigger.id === id) + 1}`;
  return {
    onDragStart: ({ active }) => `Picked up ${name(active.id)} at ${place(active.id)} of ${triggers.length}.`,
    // The first announcement comes immediately, with the current position.
    onDragOver: ({ active, over }) => (over ? `${name(active.id)} at ${place(over.id)} of ${triggers.length}.` : ""),
    onDragEnd: ({ active, over }) => (over ? `${name(active.id)} is now at ${place(over.id)}.` : ""),
    onDragCancel: ({ active }) => `Canceled. ${name(active.id)} stays at ${place(active.id)}.`,
  };
}
