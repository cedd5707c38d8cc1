import type { ToolDraft } from "../tool-draft.ts";
import { displayKinds } from "./display-kinds.ts";

const samples: Record<string, string[]> = {
  title: ["City One", "Tourer 7", "Harbour E"],
  label: ["Book a test ride", "Opening hours", "Talk to us"],
  value: ["I would like a test ride", "When are you open?", "I would like to talk to somebody"],
  price: ["690 €", "1,190 €", "2,490 €"],
  description: [
    "Light, with eight gears and a rack.",
    "For long days, with a hub dynamo.",
    "With a motor for headwind.",
  ],
  url: ["https://example.com/1", "https://example.com/2", "https://example.com/3"],
};

/** A result that has what the mapping asks for, so that a display can be looked at before there is a real one. */
export function sampleResult({ type, fieldMappings }: ToolDraft["displayConfig"]): unknown {
  const { slots } = displayKinds[type];
  const list = slots.find(({ isList }) => isList)?.slot;
  const pathOf = (slot: string) => fieldMappings.find((row) => row.slot === slot)?.path.trim();
  const isInside = (slot: string) =>
    slot !== list && (type === "table" || slots.some((known) => known.slot === slot && known.isInList));
  const fill = (into: object, index: number, wants: (slot: string) => boolean) => {
    for (const { slot, path } of fieldMappings) {
      const words = samples[slot] ?? (type === "table" || type === "custom" ? ["First", "Second", "Third"] : []);
      if (path.trim() !== "" && wants(slot)) put(into, path.trim(), words[index]);
    }
    return into;
  };
  const result = fill({}, 0, (slot) => slot !== list && !isInside(slot));
  if (list === undefined) return result;
  const entries = [0, 1, 2].map((index) => fill({}, index, isInside));
  const path = pathOf(list);
  if (path === undefined || path === "") return entries;
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

/** Defined, not assigned: a field may have any name. */
const entry = (value: unknown) => ({ value, enumerable: true, writable: true, configurable: true });
