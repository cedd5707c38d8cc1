/** @jsxImportSource preact */
import type { VisitorForm } from "@foyer/sdk";
import { render } from "preact";
import type { ShadowHost } from "../loader/shadow-host.ts";
import { type PanelContext, PanelProvider } from "../panel/panel-context.ts";
import { FormCard } from "./form-card.tsx";
import { openFormSession } from "./form-session.ts";
import css from "./forms.css?inline";

/**
 * Renders a form into an empty element. The panel loads this module when it shows the first form. It has its own
 * render root, because after a server update the module may come with another copy of Preact than the panel. @returns
 * a function that removes the form
 */
export function mountForm(
  place: HTMLElement,
  panel: PanelContext,
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
