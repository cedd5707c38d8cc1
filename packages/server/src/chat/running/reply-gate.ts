/**
 * How long a reply may send text after the last confirmation that the agent still has the conversation. Another process
 * that takes the conversation over waits this long, unless the reply ends sooner.
 */
export const LEASE_MS = 2_000;

/**
 * Holds back the events of a reply while this process does not know whether the agent still has the conversation, such
 * as when the database does not answer or the process was suspended. Time is measured with a clock that never goes
 * back.
 */
export function createReplyGate(send: (event: string) => void, isShared: boolean) {
  let confirmedAt = performance.now();
  let held: string[] = [];
  let isClosed = false;
  let hasDropped = false;
  const isOpen = () => !isShared || performance.now() - confirmedAt < LEASE_MS;
  return {
    get isHolding() {
      return held.length > 0;
    },
    /** Whether events were dropped before anyone received them. */
    get hasDropped() {
      return hasDropped;
    },
    publish(event: string): void {
      if (isClosed) return;
      if (held.length === 0 && isOpen()) send(event);
      else held.push(event);
    },
    /** @param at when the query began that found the agent still in charge, by `performance.now()` */
    confirm(at: number): void {
      confirmedAt = Math.max(confirmedAt, at);
      if (isClosed || !isOpen()) return;
      const events = held;
      held = [];
      for (const event of events) send(event);
    },
    /** Drops the held events and all later ones. */
    close(): void {
      hasDropped ||= held.length > 0;
      held = [];
      isClosed = true;
    },
  };
}
