import type { ConsentStorage } from "../loader/consent-storage.ts";
import type { EventBus } from "../loader/event-bus.ts";
import type { WidgetOptions } from "../loader/read-options.ts";
import type { VisitorSession } from "../loader/visitor-session.ts";
import { loadPart } from "./load-part.ts";

/** Loads the visitor's session when the page identifies the visitor, or when the chat needs it. */
export function createVisitorLoader(options: WidgetOptions, storage: ConsentStorage, bus: EventBus) {
  let session: VisitorSession | null = null;
  let loading: Promise<VisitorSession> | null = null;
  let waiting: Array<(visitor: VisitorSession) => void> = [];

  async function start(): Promise<VisitorSession> {
    const { createVisitorSession } = await loadPart({ options }, "visitor");
    session = createVisitorSession(storage, bus, options.identity);
    for (const call of waiting) call(session);
    waiting = [];
    return session;
  }
  const load = () => (loading ??= start());
  const run = (call: (visitor: VisitorSession) => void) => {
    if (session) return call(session);
    waiting.push(call);
    // What could not be loaded is requested again with the chat.
    load().catch(() => (loading = null));
  };
  // The previous visitor's data must be deleted even if this visitor never opens the chat.
  if (options.identity) run(() => {});
  return {
    load,
    /** Calls back as soon as the session has loaded. */
    run,
    /** The last identity, or the one of the script tag until it has loaded. */
    identity: () => (session ? session.identity : options.identity),
  };
}
