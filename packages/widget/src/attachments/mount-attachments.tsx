/** @jsxImportSource preact */
import { render } from "preact";
import { type Attachments, type PanelContext, PanelProvider } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { AttachControls } from "./attach-controls.tsx";
import css from "./attachments.css?inline";
import { createAttachments } from "./create-attachments.ts";
import { MessageAttachments } from "./message-attachments.tsx";
import { loadAttachmentTexts } from "./texts/load-texts.ts";

/**
 * Starts what attaches pictures and files and shows them. Each place is its own render root, because after a server
 * update the module may come with another copy of Preact than the panel.
 */
export async function startAttachments(panel: PanelContext, state: PanelState): Promise<Attachments> {
  const texts = await loadAttachmentTexts(panel.core);
  panel.core.shadow.addStyles(css);
  const attachments = createAttachments(panel, state, texts);
  return {
    mount(place, message) {
      render(
        <PanelProvider value={panel}>
          {message ? (
            <MessageAttachments message={message} attachments={attachments} />
          ) : (
            <AttachControls place={place} attachments={attachments} />
          )}
        </PanelProvider>,
        place,
      );
      return () => render(null, place);
    },
  };
}
