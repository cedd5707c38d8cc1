import { useEffect, useState } from "preact/hooks";

export type Store<T> = ReturnType<typeof createStore<T>>;

/**
 * A value that is watched. However often it is set, its watchers hear of it once a frame at most: words of a reply come
 * faster than a screen can show them.
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
      // A hidden page has no frames.
      if (document.hidden) setTimeout(tell);
      else requestAnimationFrame(tell);
    },
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

/** The store's value in a component, which is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState<T>(store.get());
  useEffect(() => {
    const follow = () => draw(() => store.get());
    follow();
    return store.watch(follow);
  }, [store]);
  return store.get();
}
