/**
 * Combines all lookups of one event loop turn into one query. The returned function resolves to the value of its key,
 * or to undefined.
 * @param read receives each key once and returns the values it found
 */
export function createBatchReader<Value>(
  read: (keys: string[]) => Promise<Map<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let next: { keys: Set<string>; found: Promise<Map<string, Value>> } | null = null;

  function startBatch() {
    const keys = new Set<string>();
    const found = new Promise((resolve) => setImmediate(resolve)).then(() => {
      next = null;
      return read([...keys]);
    });
    return { keys, found };
  }

  return async (key) => {
    next ??= startBatch();
    next.keys.add(key);
    return (await next.found).get(key);
  };
}
