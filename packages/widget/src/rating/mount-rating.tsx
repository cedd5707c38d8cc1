/** @jsxImportSource preact */
import { render } from "preact";
import { type ConversationRating, type PanelContext, PanelProvider } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { createRating } from "./create-rating.ts";
import css from "./rating.css?inline";
import { RatingCard } from "./rating-card.tsx";
import { loadRatingTexts } from "./texts/load-texts.ts";

/**
 * Starts what asks visitors to rate a conversation. Its place is its own render root, because after a server update the
 * module may come with another copy of Preact than the panel.
 */
export async function startRating(panel: PanelContext, state: PanelState): Promise<ConversationRating> {
  const texts = await loadRatingTexts(panel.core);
  panel.core.shadow.addStyles(css);
  const rating = createRating(panel, state, texts);
  return {
    mount(place) {
      render(
        <PanelProvider value={panel}>
          <RatingCard rating={rating} />
        </PanelProvider>,
        place,
      );
      return () => render(null, place);
    },
  };
}
