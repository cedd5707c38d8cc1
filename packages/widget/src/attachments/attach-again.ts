import type { Attachment } from "@foyer/contract";
import type { PanelContext } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { sendDraft } from "../panel/send-draft.ts";
import type { createContentLoader } from "./content-loader.ts";
import { type Draft, toDraft } from "./draft.ts";
import type { AttachmentTexts } from "./texts/load-texts.ts";

type Parts = {
  chat: PanelContext["chat"];
  panelState: PanelState;
  contents: ReturnType<typeof createContentLoader>;
  texts: AttachmentTexts;
  edit: (key: string, changes: Partial<Draft>) => void;
  /** Uploads the file of a draft, unless it is too large. */
  accept: (key: string, content: File) => Promise<void>;
};

type Drafts = { add: (drafts: readonly Draft[]) => void; areComplete: () => boolean };

/**
 * Creates the function that uploads the files of a message that the server has refused again, because an upload is gone
 * after a while, and once another tab has sent it. The message is then sent once more, unless a file is refused for a
 * reason of its own.
 */
export function createReattachment(parts: Parts, { add, areComplete }: Drafts) {
  const { chat, panelState, contents, texts, edit, accept } = parts;
  /** The text of the message that was sent again last. */
  let repeated: string | null = null;
  return async (returned: readonly Attachment[]): Promise<void> => {
    const { draft: text } = panelState.get();
    const drafts = returned.map((file) => ({ ...toDraft(file), attachment: null, state: "preparing" as const }));
    add(drafts);
    for (const [index, { key, name }] of drafts.entries()) {
      const content = await contents.reload(returned[index]?.id ?? "").catch(() => null);
      if (content) await accept(key, new File([content], name, { type: content.type }));
      else edit(key, { state: "refused", problem: texts.expired });
    }
    if (!areComplete() || panelState.get().draft !== text || text === repeated) return;
    repeated = text;
    sendDraft(chat, panelState);
  };
}
