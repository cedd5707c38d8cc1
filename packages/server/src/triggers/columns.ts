import type { Trigger, TriggerChanges, WidgetTrigger } from "@foyer/contract";
import type { TriggerRow } from "../db/tables.ts";

/** What is changed by a caller, without what is checked as a whole. */
type PlainColumns = Pick<TriggerRow, "name" | "description" | "triggerOnce" | "isEnabled" | "priority">;

/** A trigger before anything is said of it. */
export const triggerDefaults = { description: null, triggerOnce: 1, isEnabled: 1, priority: 0 } as const;

/** The given plain fields as columns: what is not given is left out, `null` goes back to the default. */
export function toColumns({ name, description, triggerOnce, isEnabled, priority }: TriggerChanges) {
  const columns: Partial<PlainColumns> = {};
  if (name !== undefined) columns.name = name;
  if (description !== undefined) columns.description = description;
  if (triggerOnce !== undefined) columns.triggerOnce = triggerOnce === false ? 0 : 1;
  if (isEnabled !== undefined) columns.isEnabled = isEnabled === false ? 0 : 1;
  if (priority !== undefined) columns.priority = priority ?? triggerDefaults.priority;
  return columns;
}

/** A trigger that shows a form is disabled once that form is deleted: the database empties its `toolId` then. */
export function toTrigger(row: TriggerRow): Trigger {
  const hasLostForm = row.actionType === "show_form" && row.toolId === null;
  const { id, name, triggerType, conditions, actionType, actionConfig, triggerOnce, priority } = toWidgetTrigger(row);
  return {
    id,
    agentId: row.agentId,
    name,
    description: row.description,
    triggerType,
    conditions,
    actionType,
    actionConfig,
    triggerOnce,
    isEnabled: row.isEnabled === 1 && !hasLostForm,
    priority,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

/** Exactly what a visitor's page gets. */
export function toWidgetTrigger(row: TriggerRow): WidgetTrigger {
  return {
    id: row.id,
    name: row.name,
    triggerType: row.triggerType,
    conditions: JSON.parse(row.conditions),
    actionType: row.actionType,
    actionConfig: JSON.parse(row.actionConfig),
    triggerOnce: row.triggerOnce === 1,
    priority: row.priority,
  };
}
