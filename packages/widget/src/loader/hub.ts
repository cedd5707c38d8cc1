import type { FormNotice, Identity, MessageNotice, TriggerNotice } from "../foyer-api.ts";

/** What the parts of the widget tell each other; the public ones are also what `Foyer.on` hears. */
export type HubEvents = {
  ready: undefined;
  open: undefined;
  close: undefined;
  message: MessageNotice;
  form: FormNotice;
  trigger: TriggerNotice;
  /** `Foyer.track`: an event of the site's own. */
  track: { name: string; data: Record<string, unknown> };
  /** The visitor is known now, or (null) no longer. */
  identity: Identity | null;
  /** Storage may be used from now on. */
  consent: undefined;
  /** The visitor did something in the widget, by hand. */
  interaction: undefined;
  /** A reply ended while nobody looked, in the visitor's words; empty when somebody looks again. */
  unread: string;
  destroy: undefined;
};

export type Hub = ReturnType<typeof createHub>;

/** A place where the parts meet without knowing each other. What a listener throws stays its own. */
export function createHub() {
  const listeners = new Map<string, Set<(detail: never) => void>>();
  const off = <Name extends keyof HubEvents>(name: Name, listener: (detail: HubEvents[Name]) => void): void => {
    listeners.get(name)?.delete(listener);
  };
  return {
    /** Returns how to stop listening. */
    on<Name extends keyof HubEvents>(name: Name, listener: (detail: HubEvents[Name]) => void): () => void {
      const known = listeners.get(name) ?? new Set();
      listeners.set(name, known.add(listener));
      return () => off(name, listener);
    },
    off,
    emit<Name extends keyof HubEvents>(
      name: Name,
      ...[detail]: HubEvents[Name] extends undefined ? [] : [HubEvents[Name]]
    ): void {
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          listener(detail as never);
        } catch (error) {
          // Shown by the browser as any other, and no listener can stop the widget.
          reportError(error);
        }
      }
    },
  };
}
