/** @jsxImportSource preact */
import type { JSX } from "preact";
import { render } from "preact";
import { type Handoff, type PanelContext, PanelProvider } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { createHandoff } from "./create-handoff.ts";
import css from "./handoff.css?inline";
import { HandoffBar, TalkButton } from "./handoff-bar.tsx";
import { RequestCard } from "./request-card.tsx";
import { SoundSwitch } from "./sound-switch.tsx";
import { loadHandoffTexts } from "./texts/load-texts.ts";

/**
 * Starts the parts that hand conversations over to people. The panel loads this module for agents with handoff enabled,
 * and for conversations that are not with the agent. Its views have their own render roots, because after a server
 * update the module may come with another copy of Preact than the panel.
 */
export async function startHandoff(panel: PanelContext, state: PanelState): Promise<Handoff> {
  const texts = await loadHandoffTexts(panel.core);
  panel.core.shadow.addStyles(css);
  const handoff = createHandoff(panel, state, texts);
  const mount = (view: JSX.Element) => (place: HTMLElement | null) => {
    if (!place) return;
    render(<PanelProvider value={panel}>{view}</PanelProvider>, place);
    return () => render(null, place);
  };
  panel.mountRequest = (tool, place) => mount(<RequestCard tool={tool} texts={texts} />)(place);
  return {
    mountBar: mount(<HandoffBar handoff={handoff} panelState={state} />),
    mountTalk: mount(<TalkButton handoff={handoff} />),
    mountSettings: mount(<SoundSwitch handoff={handoff} />),
    offer: handoff.offer,
    destroy: handoff.destroy,
  };
}
