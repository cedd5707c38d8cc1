import type { Trigger, TriggerChanges, WidgetTrigger } from "@foyer/contract";
import type { TriggerRow } from "../db/tables/triggers.ts";

/** The columns that can be changed individually; the others are validated together. */
type PlainColumns = Pick<TriggerRow, "name" | "description" | "triggerOnce" | "isEnabled" | "priority">;

/** The defaults of a new trigger. */
export const triggerDefaults = { description: null, triggerOnce: 1, isEnabled: 1, priority: 0 } as const;

/** Converts the given plain fields to columns. Omitted fields are left out, and `null` restores the default. */
export function toColumns({
  name,
  description,
  triggerOnce,
  isEnabled,
  priority,
}: Pick<TriggerChanges, keyof PlainColumns>) {
  const columns: Partial<PlainColumns> = {};
  if (name !== undefined) columns.name = name;
  if (description !== undefined) columns.description = description;
  if (triggerOnce !== undefined) columns.triggerOnce = triggerOnce === false ? 0 : 1;
  if (isEnabled !== undefined) columns.isEnabled = isEnabled === false ? 0 : 1;
  if (priority !== undefined) columns.priority = priority ?? triggerDefaults.priority;
  return columns;
}

/** The database clears the `toolId` of a trigger whose form was deleted, so such a trigger is shown as disabled. */
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

/** Exactly the fields that visitors' pages receive. */
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
