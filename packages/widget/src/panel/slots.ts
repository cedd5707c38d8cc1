import { linkAddress } from "@foyer/contract/rules/safe-address";
import type { Display } from "@foyer/sdk";

export type Slots = Record<string, unknown>;

export type ShownTool = {
  name: string;
  label: string | null;
  type: Display["type"];
  slots: Slots;
  options: Display["options"];
  result: unknown;
};

/** The label of a tool without one: its name in words, with a capital letter. */
export function readableName(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A slot's value as text, "" when it is empty. */
export function slotText(slots: Slots, name: string): string {
  const value = slots[name];
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** The objects in a slot that holds a list. */
export function slotList(slots: Slots, name: string): Slots[] {
  const list = slots[name];
  return Array.isArray(list) ? list.filter((item) => typeof item === "object" && item !== null) : [];
}

/** The URL of a link, or null when the URL is missing or unsafe. */
export function slotLink(slots: Slots): string | null {
  return linkAddress(slotText(slots, "url"));
}

/** The URL of an image. The server has already removed hosts that the agent does not allow. */
export function slotImage(slots: Slots): string | null {
  const address = slotText(slots, "image");
  return /^(https:\/\/|data:image\/(png|jpeg|gif|webp);base64,)/.test(address) ? address : null;
}
