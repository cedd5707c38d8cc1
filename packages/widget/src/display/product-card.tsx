/** @jsxImportSource preact */
import type { Display } from "@foyer/sdk";
import type { JSX } from "preact";
import { interpolate } from "../locales/load-messages.ts";
import { linkTargetFor } from "../markdown/link-target.ts";
import { usePanel } from "../panel/panel-context.ts";
import { type Slots, slotImage, slotLink, slotText } from "../panel/slots.ts";

/** A product: image, name, price, description and actions. */
export function ProductCard({ slots, options }: { slots: Slots; options: Display["options"] }): JSX.Element {
  const { chat, core, messages } = usePanel();
  const shows = (option: keyof Display["options"]) => options[option] !== false;
  const text = (name: string, option: keyof Display["options"]) => (shows(option) ? slotText(slots, name) : "");
  const [title, price, description] = [
    text("title", "showTitle"),
    text("price", "showPrice"),
    text("description", "showDescription"),
  ];
  const image = shows("showImage") ? slotImage(slots) : null;
  const href = slotLink(slots);
  const name = slotText(slots, "title");
  const addToCart = () => {
    const isHeard = core.bus.emit("add_to_cart", slots) > 0;
    const event = new CustomEvent("foyer:add_to_cart", { detail: slots, cancelable: true });
    if (dispatchEvent(event) && !isHeard) void chat.send(interpolate(messages.addToCartMessage, { title: name }));
  };
  return (
    <article class="card product" part="card" aria-label={name || undefined}>
      {image ? <img src={image} alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" /> : null}
      <div class="card-text">
        {title || price ? (
          <p class="card-title">
            <span dir="auto">{title}</span>
            {price ? <span class="price">{price}</span> : null}
          </p>
        ) : null}
        {description ? (
          <p class="card-description" dir="auto">
            {description}
          </p>
        ) : null}
        {href || (options.showAddToCart && name) ? (
          <p class="card-actions">
            {options.showAddToCart && name ? (
              <button type="button" class="quiet" onClick={addToCart}>
                {messages.addToCart}
              </button>
            ) : null}
            {href ? (
              <a
                class="quiet"
                href={href}
                {...linkTargetFor(href)}
                aria-label={name ? `${messages.view}: ${name}` : undefined}
              >
                {messages.view}
              </a>
            ) : null}
          </p>
        ) : null}
      </div>
    </article>
  );
}
