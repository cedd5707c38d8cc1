import { slotEditors } from "@foyer/contract/rules/display-editor";
import { describeDisplay } from "@foyer/contract/rules/display-types";
import type { ToolDraft } from "../tool-draft.ts";

const ownSamples = ["First", "Second", "Third"];

/** A sample result with all mapped fields, to preview a display before a real result exists. */
export function sampleResult({ type, fieldMappings }: ToolDraft["displayConfig"]): unknown {
  const { slots, list, ownSlots } = describeDisplay(type);
  const samples = new Map(Object.entries(slotEditors).map(([slot, editor]) => [slot, editor.samples]));
  const fill = (into: object, index: number, isWanted: (slot: string) => boolean) => {
    for (const { slot, path } of fieldMappings) {
      const values = samples.get(slot) ?? (ownSlots ? ownSamples : []);
      if (path.trim() !== "" && isWanted(slot)) put(into, path.trim(), values[index]);
    }
    return into;
  };
  const isOfResult = (slot: string) => ownSlots === "result" || slots.some((known) => known === slot);
  const result = fill({}, 0, isOfResult);
  if (!list) return result;
  const isOfEntry = (slot: string) =>
    slot !== list.slot && (ownSlots === "entry" || list.entrySlots.some((known) => known === slot));
  const entries = [0, 1, 2].map((index) => fill({}, index, isOfEntry));
  const path = fieldMappings.find(({ slot }) => slot === list.slot)?.path.trim() ?? "";
  if (path === "") return entries;
  put(result, path, entries);
  return result;
}

function put(into: object, path: string, value: unknown) {
  const parts = path.split(".").filter((part) => part !== "");
  const last = parts.pop();
  let place = into as Record<string, unknown>;
  for (const part of parts) {
    const next = Object.hasOwn(place, part) ? place[part] : undefined;
    if (typeof next !== "object" || next === null) Object.defineProperty(place, part, entry({}));
    place = place[part] as Record<string, unknown>;
  }
  if (last !== undefined && value !== undefined) Object.defineProperty(place, last, entry(value));
}

/** A property descriptor. Fields are defined, not assigned, because a field can have any name, such as `__proto__`. */
const entry = (value: unknown) => ({ value, enumerable: true, writable: true, configurable: true });
