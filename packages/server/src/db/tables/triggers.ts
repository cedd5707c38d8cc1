import type { ActionType, TriggerType } from "@foyer/contract";
import type { Generated } from "kysely";
import type { Flag, Instant, Json } from "./column-types.ts";

/** The tables of triggers, as Kysely sees them. */
export type TriggerTables = {
  triggers: TriggerRow;
  draftTriggers: TriggerRow;
  triggerDays: TriggerDayRow;
  triggerEvents: TriggerEventRow;
  triggerFirings: TriggerFiringRow;
};

export type TriggerRow = {
  id: string;
  organizationId: string;
  agentId: string;
  name: string;
  description: string | null;
  triggerType: TriggerType;
  conditions: Json;
  actionType: ActionType;
  actionConfig: Json;
  /** the form that `show_form` shows; null for other actions, and after that form was deleted */
  toolId: string | null;
  triggerOnce: Flag;
  isEnabled: Flag;
  priority: number;
  createdAt: Instant;
  updatedAt: Instant;
};

/** A trigger's counters of one UTC day. */
export type TriggerDayRow = { triggerId: string; day: string; fired: number; converted: number };

/** How many firings of a trigger in a session have not converted yet. Deleted together with the events. */
export type TriggerFiringRow = {
  /** the ids of the session and the trigger */
  key: string;
  agentId: string;
  sessionId: string;
  open: number;
  /** of the last firing, in UTC */
  day: string;
};

/** An event reported by a widget. Kept for 90 days. */
export type TriggerEventRow = {
  /** in the order of recording */
  id: Generated<number>;
  agentId: string;
  /** the trigger whose counters include it; null when none does. The trigger may have been deleted. */
  triggerId: string | null;
  triggerName: string;
  triggerType: TriggerType;
  actionType: ActionType;
  eventType: "fired" | "converted";
  sessionId: string | null;
  pagePath: string | null;
  day: string;
  createdAt: Instant;
};
