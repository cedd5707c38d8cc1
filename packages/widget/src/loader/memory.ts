import type { Hub } from "./hub.ts";

export type Memory = ReturnType<typeof createMemory>;
export type Place = "local" | "session";

/**
 * What the browser keeps for us, one JSON value a name; agents do not see each other's. Nothing is read or written
 * before the visitor agreed, where that is asked for, and nothing is written before the visitor did something in the
 * widget, unless a value says `early`. What may not be written yet, or cannot be at all, lives as long as the page.
 */
export function createMemory(agentId: string, hub: Hub, consent: "given" | "required") {
  const waiting = new Map<string, { place: Place; name: string; text: string | null; early: boolean }>();
  let hasConsent = consent === "given";
  let hasInteracted = false;
  const key = (name: string) => `foyer:${agentId}:${name}`;

  const flush = () => {
    for (const [id, { place, name, text, early }] of waiting) {
      const mayStore = hasConsent && (early || hasInteracted);
      // Taking something away needs nobody's leave.
      if (!mayStore && text !== null) continue;
      if (store(place, key(name), text)) waiting.delete(id);
    }
  };
  hub.on("interaction", () => {
    if (hasInteracted) return;
    hasInteracted = true;
    flush();
  });
  hub.on("consent", () => {
    hasConsent = true;
    flush();
  });

  return {
    /** The value, or null. What another version or somebody else left there must be expected. */
    read(place: Place, name: string): unknown {
      const kept = waiting.get(place + name);
      const text = kept ? kept.text : hasConsent ? load(place, key(name)) : null;
      try {
        return text === null ? null : JSON.parse(text);
      } catch {
        return null;
      }
    },
    /** `null` takes the value away. */
    write(place: Place, name: string, value: unknown, { early = false } = {}): void {
      waiting.set(place + name, { place, name, text: value === null ? null : JSON.stringify(value), early });
      flush();
    },
  };
}

/** Browsers that keep nothing for us throw at the mere mention of it. */
function storageOf(place: Place) {
  return place === "local" ? localStorage : sessionStorage;
}

function load(place: Place, key: string): string | null {
  try {
    return storageOf(place).getItem(key);
  } catch {
    return null;
  }
}

function store(place: Place, key: string, text: string | null): boolean {
  try {
    if (text === null) storageOf(place).removeItem(key);
    else storageOf(place).setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
