import type { PageCore } from "../loader/widget-core.ts";

export type FiredTriggers = ReturnType<typeof createFiredTriggers>;

/**
 * The triggers that must not fire again in this session: those that fire once and have fired, and those whose bubble
 * was closed. Their ids are kept in `sessionStorage`, or in memory before consent, and in `localStorage` as long as the
 * visitor's session id is there. Tabs that are open at the same time share them.
 */
export function createFiredTriggers({ storage, bus, options, signal }: PageCore) {
  const ids = new Set<string>();
  let mayRead = options.consent === "given";
  let tabs: BroadcastChannel | undefined;

  /** Reads ids defensively, because the value may come from other code. */
  const take = (value: unknown) => {
    if (!Array.isArray(value)) return;
    for (const id of value) if (typeof id === "string") ids.add(id);
  };
  /** The id that a visitor has once they have interacted with the widget. */
  const readSession = () => (storage.read("local", "visit") as { sessionId?: string } | null)?.sessionId;
  const load = () => {
    if (!mayRead) return;
    take(storage.read("session", "fired"));
    // The first item is the session in which the others fired.
    const [session, ...kept] = [storage.read("local", "fired") ?? []].flat();
    if (session && session === readSession()) take(kept);
  };
  const save = () => {
    if (!mayRead || !ids.size) return;
    const session = readSession();
    storage.write("session", "fired", [...ids], { early: true });
    if (session) storage.write("local", "fired", [session, ...ids], { early: true });
  };
  const connect = () => {
    tabs = new BroadcastChannel(`foyer:${options.agentId}`);
    tabs.onmessage = ({ data }) => {
      // An empty list is a request for the ids of other tabs.
      if (!data?.length && ids.size) tabs?.postMessage([...ids]);
      take(data);
      save();
    };
    tabs.postMessage([]);
  };
  // Some browsers don't keep a page with an open channel in the back/forward cache.
  const disconnect = () => {
    // The session id may have been stored after the last trigger fired.
    save();
    tabs?.close();
  };

  load();
  connect();
  addEventListener("pagehide", disconnect, { signal });
  addEventListener("pageshow", ({ persisted }) => persisted && connect(), { signal });
  signal.addEventListener("abort", disconnect);
  bus.on("consent", () => {
    mayRead = true;
    load();
    save();
  });
  const clear = () => {
    ids.clear();
    for (const place of ["session", "local"] as const) storage.write(place, "fired", null);
  };
  // A logout starts a new session.
  bus.on("identity", (identity) => identity || clear());
  return {
    has: (id: string): boolean => ids.has(id),
    add(id: string): void {
      ids.add(id);
      save();
      tabs?.postMessage([id]);
    },
    clear,
  };
}
