import { linkAddress } from "@foyer/contract/rules/safe-address";
import type { Display } from "@foyer/sdk";

export type Slots = Record<string, unknown>;

export type ShownTool = {
  name: string;
  label: string | null;
  slots: Slots;
  options: Display["options"];
  result: unknown;
};

/** What a slot says, as text; "" when it is empty. */
export function textIn(slots: Slots, name: string): string {
  const value = slots[name];
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** The objects of a slot that holds a list. */
export function listIn(slots: Slots, name: string): Slots[] {
  const list = slots[name];
  return Array.isArray(list) ? list.filter((item) => typeof item === "object" && item !== null) : [];
}

/** A link's address; null when it is none that may be followed. */
export function linkIn(slots: Slots): string | null {
  return linkAddress(textIn(slots, "url"));
}

/** An image's address; the server has let through only hosts that the agent allows. */
export function imageIn(slots: Slots): string | null {
  const address = textIn(slots, "image");
  return /^(https:\/\/|data:image\/(png|jpeg|gif|webp);base64,)/.test(address) ? address : null;
}
