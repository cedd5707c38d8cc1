import type { Chat } from "../conversation/create-chat.ts";
import type { PanelState } from "./panel-state.ts";

/** Sends what the visitor has written and attached. It leaves the field only once it is part of the conversation. */
export function sendDraft(chat: Pick<Chat, "send">, state: PanelState): void {
  const { draft, attached } = state.get();
  void chat.send(draft.trim(), attached, () => {
    const { draft: now, attached: files } = state.get();
    // The visitor has changed it, or has sent it twice, while the conversation loaded.
    if (now !== draft || files !== attached) return false;
    state.patch({ draft: "", attached: [] });
    return true;
  });
}
