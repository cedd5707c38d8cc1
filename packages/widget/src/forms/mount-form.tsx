/** @jsxImportSource preact */
import type { VisitorForm } from "@foyer/sdk";
import { render } from "preact";
import type { ShadowHost } from "../loader/shadow-host.ts";
import type { InLocale } from "../locales/load-texts.ts";
import { type Forms, PanelProvider } from "../panel/panel-context.ts";
import { FormCard } from "./form-card.tsx";
import type { FormPanel } from "./form-panel.ts";
import { openFormSession } from "./form-session.ts";
import css from "./forms.css?inline";
import { loadFormMessages } from "./texts/load-form-messages.ts";

/** Loads the texts of forms. The panel loads this module when it shows the first form. */
export async function startForms(core: InLocale): Promise<Forms> {
  const messages = await loadFormMessages(core);
  return {
    mountForm: (place, panel, showing) =>
      mountForm(place, { ...panel, messages: { ...panel.messages, ...messages } }, showing),
  };
}

/**
 * Renders a form into an empty element. It has its own render root, because after a server update the module may come
 * with another copy of Preact than the panel. @returns a function that removes the form
 */
function mountForm(
  place: HTMLElement,
  panel: FormPanel,
  showing: { form: VisitorForm; key: string; previousResult: unknown },
): () => void {
  const { shadow } = panel.core;
  if (!styled.has(shadow)) shadow.addStyles(css);
  styled.add(shadow);
  render(
    <PanelProvider value={panel}>
      <FormCard session={openFormSession(panel, showing)} />
    </PanelProvider>,
    place,
  );
  return () => render(null, place);
}

const styled = new WeakSet<ShadowHost>();
