import type { FormNotice, HandoffNotice, MessageNotice, TriggerNotice } from "../foyer-api.ts";
import type { KnownIdentity } from "./user-token.ts";

/** Events between the parts of the widget. The public ones are also what `Foyer.on` receives. */
export type BusEvents = {
  ready: undefined;
  open: undefined;
  close: undefined;
  message: MessageNotice;
  form: FormNotice;
  trigger: TriggerNotice;
  handoff: HandoffNotice;
  add_to_cart: Record<string, unknown>;
  /** An event that the site reported with `Foyer.track`. */
  track: { name: string; data: Record<string, unknown> };
  /** The site registered the client tool with this name. */
  tool: string;
  /** The visitor was identified, or (null) logged out. */
  identity: KnownIdentity | null;
  /** Storage may be used from now on. */
  consent: undefined;
  /** The visitor interacted with the widget. */
  interaction: undefined;
  /** How many replies ended while the panel was closed, and the label for that number in the visitor's language. */
  unread: { count: number; label: string };
  /** How many messages from a person arrived before this page was opened. */
  missed: number;
  destroy: undefined;
};

export type EventBus = ReturnType<typeof createEventBus>;

/**
 * Lets the parts of the widget communicate without importing each other. A listener that throws does not stop the
 * others.
 */
export function createEventBus() {
  const listeners = new Map<string, Set<(detail: never) => void>>();
  const off = <Name extends keyof BusEvents>(name: Name, listener: (detail: BusEvents[Name]) => void): void => {
    listeners.get(name)?.delete(listener);
  };
  return {
    /** @returns a function that removes the listener */
    on<Name extends keyof BusEvents>(name: Name, listener: (detail: BusEvents[Name]) => void): () => void {
      const known = listeners.get(name) ?? new Set();
      listeners.set(name, known.add(listener));
      return () => off(name, listener);
    },
    off,
    /** @returns the number of listeners */
    emit<Name extends keyof BusEvents>(
      name: Name,
      ...[detail]: BusEvents[Name] extends undefined ? [] : [BusEvents[Name]]
    ): number {
      const known = [...(listeners.get(name) ?? [])];
      for (const listener of known) {
        try {
          listener(detail as never);
        } catch (error) {
          // The browser reports it like any uncaught error.
          reportError(error);
        }
      }
      return known.length;
    },
  };
}
