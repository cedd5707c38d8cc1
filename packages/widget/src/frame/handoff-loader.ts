import type { Handoff, PanelContext } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import type { loadHandoff } from "./load-chunk.ts";

/** Loads the handoff code as soon as the agent no longer handles the conversation. */
export function createHandoffLoader(panel: PanelContext, state: PanelState, loadChunk: typeof loadHandoff) {
  const { store } = panel.chat;
  let loading: Promise<Handoff | null> | null = null;
  const load = async () => {
    try {
      const { startHandoff } = await loadChunk(panel.core.options.baseUrl);
      const handoff = await startHandoff(panel, state);
      state.patch({ handoff });
      return handoff;
    } catch {
      // Reset the promise, so that loading is tried again when the conversation changes.
      loading = null;
      return null;
    }
  };
  let known = store.get().ownership;
  const stopWatching = store.watch(() => {
    const { ownership } = store.get();
    if (ownership !== known && ownership && ownership.handler !== "agent") loading ??= load();
    known = ownership;
  });
  return {
    /** Resolves with null if it could not be loaded. */
    load: (): Promise<Handoff | null> => (loading ??= load()),
    destroy(): void {
      stopWatching();
      // The code may still be loading.
      void loading?.then((handoff) => handoff?.destroy());
    },
  };
}
