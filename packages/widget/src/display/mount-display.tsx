/** @jsxImportSource preact */
import type { Display } from "@foyer/sdk";
import { type JSX, render } from "preact";
import type { ShadowHost } from "../loader/shadow-host.ts";
import { type PanelContext, PanelProvider } from "../panel/panel-context.ts";
import type { ShownTool } from "../panel/slots.ts";
import { ButtonsDisplay } from "./buttons-display.tsx";
import { CustomDisplay } from "./custom-display.tsx";
import css from "./displays.css?inline";
import { ImageDisplay } from "./image-display.tsx";
import { ProductCard } from "./product-card.tsx";
import { ProductCarousel } from "./product-carousel.tsx";
import { TableDisplay } from "./table-display.tsx";
import { TextDisplay } from "./text-display.tsx";

/** The component of each display type. A type that only a newer server knows is shown as text. */
const views: Record<Display["type"], (props: { tool: ShownTool }) => JSX.Element | null> = {
  text: TextDisplay,
  product_card: ({ tool }) => <ProductCard slots={tool.slots} options={tool.options} />,
  product_carousel: ProductCarousel,
  image: ImageDisplay,
  table: TableDisplay,
  buttons: ButtonsDisplay,
  // A form tool's result contains the form. Other tools have no form to show.
  form: TextDisplay,
  custom: CustomDisplay,
};

/**
 * Renders a tool's result into an element, or updates it there. The panel loads this module when it shows the first
 * result that is not text. It has its own render root, because after a server update the module may come with another
 * copy of Preact than the panel.
 */
export function mountDisplay(place: HTMLElement, panel: PanelContext, tool: ShownTool): void {
  const { shadow } = panel.core;
  if (!styled.has(shadow)) shadow.addStyles(css);
  styled.add(shadow);
  const View = views[tool.type] ?? TextDisplay;
  render(
    <PanelProvider value={panel}>
      <View tool={tool} />
    </PanelProvider>,
    place,
  );
}

/** Removes what `mountDisplay` rendered. */
export const unmountDisplay = (place: HTMLElement): void => render(null, place);

const styled = new WeakSet<ShadowHost>();
