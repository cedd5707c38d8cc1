/**
 * Runs `read` for everything that was marked: at most `concurrency` reads at once, so that a restart with thousands of
 * streams does not exhaust the database connections, and never two for the same item. An item that is marked while it
 * is being read is read again afterwards.
 * @param onError receives the error that `read` threw
 */
export function createReadQueue<Item extends object>(
  concurrency: number,
  read: (item: Item) => Promise<void>,
  onError: (item: Item, error: unknown) => void,
) {
  const marked = new Set<Item>();
  const running = new Map<Item, Promise<void>>();

  function start() {
    for (const item of marked) {
      if (running.size >= concurrency) return;
      if (running.has(item)) continue;
      marked.delete(item);
      running.set(item, run(item));
    }
  }

  async function run(item: Item) {
    try {
      await read(item);
    } catch (error) {
      onError(item, error);
    } finally {
      running.delete(item);
      start();
    }
  }

  return {
    mark(item: Item): void {
      marked.add(item);
      start();
    },
    /** Resolves once no item is marked or being read. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
