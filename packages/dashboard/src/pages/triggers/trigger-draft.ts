import { triggerEditors } from "@foyer/contract/rules/trigger-editor";
import type { Input } from "@foyer/sdk";
import type { ActionKind, Trigger, TriggerKind } from "./trigger-labels.ts";

/**
 * A trigger while it is edited. `conditions` and `actionConfig` may also hold fields of other types. The server keeps
 * only those of the chosen type.
 */
export type TriggerDraft = {
  name: string;
  description: string;
  triggerType: TriggerKind;
  conditions: Record<string, unknown>;
  actionType: ActionKind;
  actionConfig: Record<string, unknown>;
  triggerOnce: boolean;
  isEnabled: boolean;
  priority: number | null;
};

export const emptyDraft: TriggerDraft = {
  name: "",
  description: "",
  triggerType: "time_on_page",
  conditions: triggerEditors.time_on_page.sampleConditions,
  actionType: "show_bubble",
  actionConfig: { message: "" },
  triggerOnce: true,
  isEnabled: true,
  priority: 0,
};

type Known = Pick<Trigger, "name" | "description" | "triggerType" | "conditions" | "actionType" | "actionConfig">;

export function toDraft(trigger: Known & Partial<Trigger>): TriggerDraft {
  const { name, description, triggerType, conditions, actionType, actionConfig } = trigger;
  const { triggerOnce, isEnabled, priority } = { ...emptyDraft, ...trigger };
  return {
    name,
    description: description ?? "",
    triggerType,
    conditions,
    actionType,
    actionConfig,
    triggerOnce,
    isEnabled,
    priority,
  };
}

export function toBody(draft: TriggerDraft): Input<"createTrigger">["body"] {
  // A draft may hold the fields of another type too. The server drops the fields that the chosen type lacks.
  return { ...draft, description: draft.description.trim() || null } as Input<"createTrigger">["body"];
}

/** The changed fields of an existing trigger. A type is always sent with its settings. */
export function toChanges(changed: Partial<TriggerDraft>, draft: TriggerDraft): Input<"updateTrigger">["body"] {
  const { triggerType, conditions, actionType, actionConfig } = draft;
  return {
    ...changed,
    ...(changed.description === undefined ? {} : { description: changed.description.trim() || null }),
    ...(changed.triggerType || changed.conditions ? { triggerType, conditions } : {}),
    ...(changed.actionType || changed.actionConfig ? { actionType, actionConfig } : {}),
  } as Input<"updateTrigger">["body"];
}

/** The conditions for another type. Values that were entered for it before are kept. */
export function conditionsFor(kind: TriggerKind, conditions: Record<string, unknown>) {
  return { ...triggerEditors[kind].sampleConditions, ...conditions };
}
