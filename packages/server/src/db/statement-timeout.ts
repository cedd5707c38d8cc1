import { AsyncLocalStorage } from "node:async_hooks";

const patience = new AsyncLocalStorage<number>();

/**
 * Lets each statement of `work` take up to `ms` on PostgreSQL, where one that takes longer than a few seconds otherwise
 * counts as a server that is gone. For what reads or deletes a whole table.
 */
export function withPatience<T>(ms: number, work: () => Promise<T>): Promise<T> {
  return patience.run(ms, work);
}

/** Milliseconds for a statement that is sent now; undefined for the usual ones. */
export const currentPatience = (): number | undefined => patience.getStore();
