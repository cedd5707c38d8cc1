/** @jsxImportSource preact */
import type { VisitorForm } from "@foyer/sdk";
import { render } from "preact";
import type { ShadowHost } from "../loader/shadow-host.ts";
import { type PanelContext, PanelProvider } from "../panel/panel-context.ts";
import { FormCard } from "./form-card.tsx";
import { formSession } from "./form-session.ts";
import css from "./forms.css?inline";

/**
 * Draws a form into an empty element, with a root of its own: loaded beside a panel that came under another name, it
 * brings its own copy of what draws. This is what the panel loads when the first form is shown. Returns how to undo it.
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
      <FormCard session={formSession(panel, showing)} />
    </PanelProvider>,
    place,
  );
  return () => render(null, place);
}

const styled = new WeakSet<ShadowHost>();
