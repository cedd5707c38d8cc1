import type { WidgetCore } from "../loader/widget-core.ts";

export type FiredTriggers = ReturnType<typeof createFiredTriggers>;

/**
 * The triggers that are done with for this session: those that fire once and did, and those whose bubble was closed.
 * Their ids are kept in `sessionStorage`, before consent only here. Tabs that are open at the same time tell each other.
 */
export function createFiredTriggers({ storage, bus, options, signal }: WidgetCore) {
  const ids = new Set<string>();
  let mayRead = options.consent === "given";
  let tabs: BroadcastChannel | undefined;

  /** Whatever somebody else may have put there. */
  const take = (value: unknown) => {
    if (!Array.isArray(value)) return;
    for (const id of value) if (typeof id === "string") ids.add(id);
  };
  const load = () => mayRead && take(storage.read("session", "fired"));
  const save = () => {
    if (mayRead && ids.size) storage.write("session", "fired", [...ids], { early: true });
  };
  const connect = () => {
    tabs = new BroadcastChannel(`foyer:${options.agentId}`);
    tabs.onmessage = ({ data }) => {
      // An empty list asks for what others know.
      if (!data?.length && ids.size) tabs?.postMessage([...ids]);
      take(data);
      save();
    };
    tabs.postMessage([]);
  };
  // A page that listens to other tabs is not kept by every browser for the way back.
  const disconnect = () => tabs?.close();

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
    storage.write("session", "fired", null);
  };
  // Somebody else at the same computer begins a session of their own.
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
