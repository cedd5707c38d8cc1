import { AsyncLocalStorage } from "node:async_hooks";

const timeoutInScope = new AsyncLocalStorage<number>();

/**
 * Allows each statement of `work` to take up to `ms` on PostgreSQL. Without it, a statement that takes longer than a
 * few seconds counts as a lost connection. Use it for statements that read or delete a whole table.
 */
export function withStatementTimeout<T>(ms: number, work: () => Promise<T>): Promise<T> {
  return timeoutInScope.run(ms, work);
}

/** The statement timeout of the current scope in milliseconds; undefined outside `withStatementTimeout`. */
export const currentStatementTimeout = (): number | undefined => timeoutInScope.getStore();
