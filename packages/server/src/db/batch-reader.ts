/**
 * Reads what is asked for in the same turn of the event loop with one query. The returned function resolves with the value
 * for its key, or undefined.
 * @param read gets every key once and returns what it found
 */
export function createBatchReader<Value>(
  read: (keys: string[]) => Promise<Map<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let next: { keys: Set<string>; found: Promise<Map<string, Value>> } | null = null;

  function gather() {
    const keys = new Set<string>();
    const found = new Promise((resolve) => setImmediate(resolve)).then(() => {
      next = null;
      return read([...keys]);
    });
    return { keys, found };
  }

  return async (key) => {
    next ??= gather();
    next.keys.add(key);
    return (await next.found).get(key);
  };
}
