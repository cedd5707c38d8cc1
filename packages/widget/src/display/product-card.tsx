/** @jsxImportSource preact */
import type { Display } from "@foyer/sdk";
import type { JSX } from "preact";
import { interpolate } from "../locales/load-messages.ts";
import { targetOf } from "../markdown/link-target.ts";
import { usePanel } from "../panel/panel-context.ts";
import { imageIn, linkIn, type Slots, textIn } from "./slots.ts";

/** A product: its picture, name, price and a few words, and what leads on from it. */
export function ProductCard({ slots, options }: { slots: Slots; options: Display["options"] }): JSX.Element {
  const { chat, words } = usePanel();
  const shows = (option: keyof Display["options"]) => options[option] !== false;
  const text = (name: string, option: keyof Display["options"]) => (shows(option) ? textIn(slots, name) : "");
  const [title, price, description] = [
    text("title", "showTitle"),
    text("price", "showPrice"),
    text("description", "showDescription"),
  ];
  const image = shows("showImage") ? imageIn(slots) : null;
  const href = linkIn(slots);
  const name = textIn(slots, "title");
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
              <button
                type="button"
                class="quiet"
                onClick={() => void chat.say(interpolate(words.addedToCart, { title: name }))}
              >
                {words.addToCart}
              </button>
            ) : null}
            {href ? (
              <a class="quiet" href={href} {...targetOf(href)} aria-label={name ? `${words.view}: ${name}` : undefined}>
                {words.view}
              </a>
            ) : null}
          </p>
        ) : null}
      </div>
    </article>
  );
}
