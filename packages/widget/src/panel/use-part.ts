import { useEffect, useState } from "preact/hooks";
import { createStore, useStore } from "../store.ts";

/**
 * The parts that load on first use. `isMissing` means that one without a place of its own for an error could not be
 * loaded, and `attempt` changes when everything that is missing is loaded again.
 */
export const parts = createStore({ attempt: 0, isMissing: false });

export function loadMissing(): void {
  parts.set({ attempt: parts.get().attempt + 1, isMissing: false });
}

/** Loads a part once. The next call after a failure loads it again. */
export function loadOnce<Part>(load: () => Promise<Part>): () => Promise<Part> {
  let loading: Promise<Part> | null = null;
  return () => {
    loading ??= load().catch((error) => {
      loading = null;
      parts.set({ ...parts.get(), isMissing: true });
      throw error;
    });
    return loading;
  };
}

/**
 * A part for the places that need it: undefined while it loads, and null if it could not be loaded. It is then loaded
 * again with everything else that is missing.
 */
export function usePart<Part extends object>(load: (() => Promise<Part>) | undefined): Part | null | undefined {
  const { attempt } = useStore(parts);
  const [part, setPart] = useState<Part | null>();
  useEffect(() => {
    if (part) return;
    setPart(undefined);
    // A slow first attempt may fail after the second one has loaded the part.
    load?.().then(setPart, () => setPart((loaded) => loaded ?? null));
  }, [load, attempt]);
  return part;
}
