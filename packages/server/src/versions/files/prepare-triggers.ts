import type { AgentFileTrigger, TriggerContent } from "@foyer/contract";
import { withUniqueNames } from "@foyer/contract/rules/compare-contents";
import type { TriggerRow } from "../../db/tables/triggers.ts";
import { checkAllSequentially, invalid } from "../../errors.ts";
import { newId } from "../../ids.ts";
import { toColumns, triggerDefaults } from "../../triggers/columns.ts";
import { checkSettings } from "../../triggers/rules.ts";
import { differingKeys } from "./differing-keys.ts";
import { under } from "./paths.ts";
import type { RowChanges } from "./prepare-tools.ts";

/** A trigger to write. `form` is the name of the tool that it shows; its id is known once the tools are written. */
export type PreparedTrigger = TriggerRow & { form: string | null };

/** The agent's triggers: `rows` in the order of their names and of their creation, `plain` as in its file. */
type Current = { rows: readonly TriggerRow[]; plain: readonly TriggerContent[] };

type Context = {
  /** the names of the forms that the agent has once the file is applied */
  forms: ReadonlySet<string>;
  organizationId: string;
  path: string;
  prune: boolean;
};

/** Checks the triggers of a file against those of the agent. @throws 400 with the path of every problem */
export async function prepareTriggers(
  given: readonly AgentFileTrigger[] | undefined,
  current: Current,
  { forms, organizationId, path, prune }: Context,
): Promise<RowChanges<PreparedTrigger>> {
  const result: RowChanges<PreparedTrigger> = { removed: [], changed: [], created: [] };
  if (given === undefined) return result;
  const rows = withUniqueNames(current.rows);
  const names = new Set(given.map(({ name }) => name));
  if (prune) {
    const unnamed = [...rows].filter(([name]) => !names.has(name));
    result.removed.push(...unnamed.map(([, row]) => ({ ...row, form: null })));
  }
  await checkAllSequentially(
    given.map((trigger, index) => () => under(`${path}triggers.${index}.`, () => prepare(trigger, index))),
  );
  return result;

  function prepare(trigger: AgentFileTrigger, index: number): void {
    if (given?.findIndex(({ name }) => name === trigger.name) !== index) {
      throw invalid("name", "is the name of an earlier trigger of the file", "duplicate");
    }
    const form = readForm(trigger, forms);
    const row = rows.get(trigger.name);
    const stored = current.plain.find(({ name }) => name === trigger.name);
    if (row && stored && Object.keys(differingKeys(trigger, stored)).length === 0) return;
    const { name, triggerType, conditions, actionType, actionConfig, ...options } = trigger;
    const config = actionType === "show_form" ? { toolId: form ?? "none" } : actionConfig;
    const checked = checkSettings({ triggerType, conditions, actionType, actionConfig: config });
    refuseUnknown("conditions", conditions, checked.conditions);
    if (actionType !== "show_form") refuseUnknown("actionConfig", actionConfig, checked.actionConfig);
    const now = Date.now();
    const columns = {
      ...toColumns(options),
      triggerType,
      actionType,
      conditions: JSON.stringify(checked.conditions),
      actionConfig: actionType === "show_form" ? "{}" : JSON.stringify(checked.actionConfig),
    };
    if (row) {
      const changes = { ...columns, form, updatedAt: Math.max(now, row.updatedAt + 1) };
      result.changed.push({ row: { ...row, form }, changes });
      return;
    }
    const place = { id: newId("trigger"), organizationId, agentId: "", toolId: null };
    result.created.push({ ...triggerDefaults, ...columns, ...place, name, form, createdAt: now, updatedAt: now });
  }
}

/** The name of the form that a trigger shows. @throws 400 when the agent has no such form */
function readForm(
  { actionType, actionConfig, isEnabled }: AgentFileTrigger,
  forms: ReadonlySet<string>,
): string | null {
  if (actionType !== "show_form") return null;
  const { tool, toolId, ...others } = actionConfig;
  if (toolId !== undefined) {
    throw invalid("actionConfig.toolId", "must be `tool` with the name of the form: ids differ between servers");
  }
  refuseUnknown("actionConfig", others, {});
  // A disabled trigger may have lost its form.
  if (tool === null && isEnabled === false) return null;
  if (typeof tool === "string" && forms.has(tool)) return tool;
  throw invalid("actionConfig.tool", "must be the name of a form of the agent", "unknown_reference");
}

function refuseUnknown(path: string, given: Record<string, unknown>, known: Record<string, unknown>): void {
  const unknown = Object.keys(given).find((name) => given[name] !== null && !(name in known));
  if (unknown !== undefined) throw invalid(`${path}.${unknown}`, "is not a known field", "not_allowed");
}
