/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { Icon } from "../panel/icon.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { readableName, type ShownTool, slotList } from "../panel/slots.ts";
import { ProductCard } from "./product-card.tsx";

/** A row of product cards that visitors swipe, scroll, or page through with buttons. */
export function ProductCarousel({ tool }: { tool: ShownTool }): JSX.Element | null {
  const { messages, core } = usePanel();
  const row = useRef<HTMLUListElement>(null);
  const items = slotList(tool.slots, "items");
  if (items.length === 0) return null;
  const go = (direction: 1 | -1) => () => {
    const width = row.current?.firstElementChild?.getBoundingClientRect().width ?? 0;
    const toTheEnd = core.shadow.frame.dir === "rtl" ? -1 : 1;
    row.current?.scrollBy({
      left: direction * toTheEnd * (width + 8),
      behavior: prefersReducedMotion() ? "instant" : "smooth",
    });
  };
  return (
    <section class="carousel" aria-label={readableName(tool.name)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard */}
      <ul ref={row} tabIndex={0}>
        {items.map((item, index) => (
          <li key={index}>
            <ProductCard slots={item} options={tool.options} />
          </li>
        ))}
      </ul>
      {items.length > 1 ? (
        <p class="carousel-buttons">
          <button
            type="button"
            class="icon-button"
            aria-label={messages.previous}
            title={messages.previous}
            onClick={go(-1)}
          >
            <Icon name="back" />
          </button>
          <button type="button" class="icon-button" aria-label={messages.next} title={messages.next} onClick={go(1)}>
            <Icon name="next" />
          </button>
        </p>
      ) : null}
    </section>
  );
}

const prefersReducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
