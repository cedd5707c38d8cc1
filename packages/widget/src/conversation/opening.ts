import type { WidgetCore } from "../loader/widget-core.ts";
import { createReply, type ReplyEntry } from "./conversation-state.ts";

/** The bubble that the visitor clicked. Its text becomes the first message of the next conversation. */
export type Opening = { triggerId: string; text: string };

type Core = Pick<WidgetCore, "storage">;

/** Stores the bubble's text for this tab, so that it survives reloads until the visitor answers it. Null removes it. */
export function saveOpening({ storage }: Core, opening: Opening | null): void {
  storage.write("session", "opening", opening);
}

export function loadOpening({ storage }: Core): Opening | null {
  const saved = storage.read("session", "opening") as Partial<Opening> | null;
  if (typeof saved?.triggerId !== "string" || typeof saved.text !== "string") return null;
  return { triggerId: saved.triggerId, text: saved.text };
}

export function toEntry(key: string, { triggerId, text }: Opening): ReplyEntry {
  return { ...createReply(key), parts: [{ type: "text", text }], state: "done", triggerId };
}
