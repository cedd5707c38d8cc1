/** @jsxImportSource preact */
import { render } from "preact";
import type { ShadowHost } from "../loader/shadow-host.ts";
import { type AttachedMessage, type PanelContext, PanelProvider } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { AttachControls } from "./attach-controls.tsx";
import css from "./attachments.css?inline";
import { type AttachmentController, createAttachments } from "./create-attachments.ts";
import { MessageAttachments } from "./message-attachments.tsx";
import { loadTexts } from "./texts/load-texts.ts";

/**
 * Renders what is attached to a message, or the controls that attach something to the next one. The panel loads this
 * module when the first of them is shown. Each place is its own render root, because after a server update the module
 * may come with another copy of Preact than the panel. @returns a function that removes it
 */
export async function mountAttachments(
  place: HTMLElement,
  panel: PanelContext,
  { state, message }: { state: PanelState; message: AttachedMessage | undefined },
): Promise<() => void> {
  const { shadow, locale } = panel.core;
  if (!styled.has(shadow)) shadow.addStyles(css);
  styled.add(shadow);
  const texts = await loadTexts(locale);
  const known = controllers.get(state) ?? createAttachments(panel, state, texts);
  controllers.set(state, known);
  render(
    <PanelProvider value={panel}>
      {message ? (
        <MessageAttachments message={message} attachments={known} />
      ) : (
        <AttachControls place={place} attachments={known} />
      )}
    </PanelProvider>,
    place,
  );
  return () => render(null, place);
}

const styled = new WeakSet<ShadowHost>();
const controllers = new WeakMap<PanelState, AttachmentController>();
