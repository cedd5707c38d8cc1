import { useSortable } from "@dnd-kit/sortable";
import { Link } from "@tanstack/react-router";
import { Ellipsis, GripVertical } from "lucide-react";
import { IconButton } from "../../components/button.tsx";
import { Toggle } from "../../components/field.tsx";
import { Menu, type MenuItem } from "../../components/menu.tsx";
import { Skeleton } from "../../components/states.tsx";
import { describeAction, describeCondition, formatRate, type Trigger } from "./trigger-labels.ts";

export type Counts = { firedCount: number; convertedCount: number };

/** The grid columns of the header and the rows on wide screens. */
export const columns = "md:grid-cols-[28px_minmax(0,1fr)_60px_76px_52px_36px_36px] md:gap-x-4";

/** A trigger in the list. It can be moved by its handle, with the keyboard, and by the menu. */
export function TriggerRow({
  trigger,
  formName,
  counts,
  isBusy,
  items,
  onToggle,
}: {
  trigger: Trigger;
  formName: string | null | undefined;
  /** undefined while they are loading */
  counts: Counts | undefined;
  isBusy: boolean;
  items: ReadonlyArray<MenuItem | null>;
  onToggle: () => void;
}) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({
    id: trigger.id,
  });
  const { id, agentId, name, isEnabled } = trigger;
  return (
    <li
      ref={setNodeRef}
      style={{ transform: transform ? `translateY(${transform.y}px)` : undefined, transition }}
      className={`relative grid grid-cols-[28px_minmax(0,1fr)_40px_36px] items-center gap-x-2 border-b border-line py-2.5 ${columns} ${isDragging ? "z-10 bg-raised outline outline-ink" : ""}`}
    >
      <button
        type="button"
        ref={setActivatorNodeRef}
        {...attributes}
        {...listeners}
        aria-label={`Move ${name}`}
        className="flex h-9 w-7 cursor-grab touch-none items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
      >
        <GripVertical size={16} aria-hidden />
      </button>
      <div className="min-w-0">
        <Link
          to="/agents/$agentId/triggers/$triggerId"
          params={{ agentId, triggerId: id }}
          className="font-medium hover:underline hover:underline-offset-2"
        >
          {name}
        </Link>
        <p className="line-clamp-2 text-sm text-soft">
          {describeCondition(trigger)}. {describeAction(trigger, formName)}.
        </p>
      </div>
      <Figures counts={counts} />
      <Toggle label={`${name} enabled`} isLabelHidden value={isEnabled} onChange={onToggle} disabled={isBusy} />
      <Menu
        trigger={
          <IconButton label={`Actions for ${name}`}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
        items={items}
      />
    </li>
  );
}

/** Below the text on phones, in columns elsewhere. */
function Figures({ counts }: { counts: Counts | undefined }) {
  const figures = [
    ["fired", counts?.firedCount.toLocaleString()],
    ["converted", counts?.convertedCount.toLocaleString()],
    ["rate", counts && formatRate(counts.convertedCount, counts.firedCount)],
  ] as const;
  return (
    <div className="order-last col-start-2 col-end-5 flex gap-x-3 pt-1 text-sm md:order-none md:contents md:text-base">
      {figures.map(([name, value]) => (
        <span key={name} className="md:text-end">
          {value ?? <Skeleton className="inline-block h-4 w-8 align-middle" />}
          <span className="text-soft md:sr-only"> {name}</span>
        </span>
      ))}
    </div>
  );
}
