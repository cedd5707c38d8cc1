/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { Icon } from "../panel/icon.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { ProductCard } from "./product-card.tsx";
import { listIn, type ShownTool } from "./slots.ts";

/** Products beside each other: to be swiped, scrolled, or gone through with the buttons. */
export function ProductCarousel({ tool }: { tool: ShownTool }): JSX.Element | null {
  const { words, core } = usePanel();
  const row = useRef<HTMLUListElement>(null);
  const items = listIn(tool.slots, "items");
  if (items.length === 0) return null;
  const go = (direction: 1 | -1) => () => {
    const width = row.current?.firstElementChild?.getBoundingClientRect().width ?? 0;
    const toTheEnd = core.shadow.frame.dir === "rtl" ? -1 : 1;
    row.current?.scrollBy({ left: direction * toTheEnd * (width + 8), behavior: calm() ? "instant" : "smooth" });
  };
  return (
    <section class="carousel" aria-label={tool.name.replaceAll("_", " ")}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable with the keyboard */}
      <ul ref={row} tabIndex={0}>
        {items.map((item, index) => (
          <li key={index}>
            <ProductCard slots={item} options={tool.options} />
          </li>
        ))}
      </ul>
      {items.length > 1 ? (
        <p class="carousel-buttons">
          <button type="button" class="icon-button" aria-label={words.previous} title={words.previous} onClick={go(-1)}>
            <Icon name="back" />
          </button>
          <button type="button" class="icon-button" aria-label={words.next} title={words.next} onClick={go(1)}>
            <Icon name="next" />
          </button>
        </p>
      ) : null}
    </section>
  );
}

const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
