import { toolTextLimits } from "@foyer/contract/rules/limits";

/** Converts text to a tool name: `Stock look-up` becomes `stock_look_up`. Digits are not allowed. */
export function toToolName(text: string): string {
  return removeAccents(text)
    .replace(/[^a-z]+/g, "_")
    .replace(/^_+/, "")
    .slice(0, toolTextLimits.name);
}

/** Derives a field name from its label: `Preferred day` becomes `preferred_day`. */
export function toFieldName(label: string): string {
  return removeAccents(label)
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 60);
}

/** Appends a number to the name if it is already taken. */
export function uniqueName(wanted: string, others: readonly string[]): string {
  if (!others.includes(wanted)) return wanted;
  for (let number = 2; ; number++) {
    const name = `${wanted}_${number}`;
    if (!others.includes(name)) return name;
  }
}

function removeAccents(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").replace(/['’]/g, "").toLowerCase();
}
