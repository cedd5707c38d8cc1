/**
 * Runs `work` for each item, with at most `size` at a time. The first failure aborts the others through their signal.
 * @throws the first failure
 */
export async function runConcurrently<Item>(
  items: Iterable<Item>,
  { size, signal }: { size: number; signal: AbortSignal },
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = new AbortController();
  const both = AbortSignal.any([signal, ended.signal]);
  const queue = items[Symbol.iterator]();
  const drain = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) {
      both.throwIfAborted();
      await work(next.value, both);
    }
  };
  const workers = Array.from({ length: size }, () =>
    drain().catch((error: unknown) => {
      ended.abort(error);
      throw error;
    }),
  );
  const results = await Promise.allSettled(workers);
  if (results.some(({ status }) => status === "rejected")) throw ended.signal.reason;
}
