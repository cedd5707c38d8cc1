import { useEffect, useState } from "preact/hooks";

export type Store<T> = ReturnType<typeof createStore<T>>;

/**
 * Creates an observable value. Its subscribers are called at most once per frame, no matter how often the value is set,
 * because the tokens of a reply can arrive faster than a screen shows them.
 */
export function createStore<T>(initial: T) {
  let value = initial;
  let isWaiting = false;
  const watchers = new Set<() => void>();
  const tell = () => {
    isWaiting = false;
    for (const watcher of [...watchers]) watcher();
  };
  return {
    get: (): T => value,
    set(next: T): void {
      value = next;
      if (isWaiting) return;
      isWaiting = true;
      // A hidden page renders no frames.
      if (document.hidden) setTimeout(tell);
      else requestAnimationFrame(tell);
    },
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

/** The store's value in a component, which renders again when the value changes. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState<T>(store.get());
  useEffect(() => {
    const follow = () => draw(() => store.get());
    follow();
    return store.watch(follow);
  }, [store]);
  return store.get();
}
