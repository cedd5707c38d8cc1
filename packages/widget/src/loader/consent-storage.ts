import { toJson } from "@foyer/sdk/to-json";
import type { EventBus } from "./event-bus.ts";

export type ConsentStorage = ReturnType<typeof createConsentStorage>;
export type StorageArea = "local" | "session";

/**
 * Web storage with one JSON value per name, separate for each agent. With `consent: "required"`, nothing is read or
 * written before the visitor agrees. In any case, nothing is written before the visitor interacts with the widget,
 * unless the write is `early`. Values that may not be written yet, or that cannot be written at all, are kept in memory
 * for this page.
 */
export function createConsentStorage(agentId: string, bus: EventBus, consent: "given" | "required") {
  const waiting = new Map<string, { place: StorageArea; name: string; text: string | null; early: boolean }>();
  let hasConsent = consent === "given";
  let hasInteracted = false;
  const key = (name: string) => `foyer:${agentId}:${name}`;

  const flush = () => {
    for (const [id, { place, name, text, early }] of waiting) {
      const mayStore = hasConsent && (early || hasInteracted);
      // Removing a value requires no consent.
      if (!mayStore && text !== null) continue;
      if (store(place, key(name), text)) waiting.delete(id);
    }
  };
  bus.on("interaction", () => {
    if (hasInteracted) return;
    hasInteracted = true;
    flush();
  });
  bus.on("consent", () => {
    hasConsent = true;
    flush();
  });

  return {
    /** Returns the value, or null. It may come from another version of the widget or from other code on the page. */
    read(place: StorageArea, name: string): unknown {
      const kept = waiting.get(place + name);
      try {
        const text = kept ? kept.text : hasConsent ? openStorage(place).getItem(key(name)) : null;
        return JSON.parse(text ?? "null");
      } catch {
        return null;
      }
    },
    /** `null` removes the value. */
    // biome-ignore lint/complexity/useMaxParams: an object would make widget.js exceed its size limit
    write(place: StorageArea, name: string, value: unknown, { early = false } = {}): void {
      waiting.set(place + name, { place, name, text: value === null ? null : (toJson(value) ?? null), early });
      flush();
    },
  };
}

/** With storage blocked, browsers throw on the mere access to these properties. */
function openStorage(place: StorageArea) {
  return place === "local" ? localStorage : sessionStorage;
}

function store(place: StorageArea, key: string, text: string | null): boolean {
  try {
    if (text === null) openStorage(place).removeItem(key);
    else openStorage(place).setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
